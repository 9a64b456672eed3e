/* A library, but no plug-in. */
int forty_two(void);

int forty_two(void)
{
	return 42;
}
