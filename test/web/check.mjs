// What the tests of pages share: what does not hold is printed and counted.
export let failed = 0;

export function check(holds, what) {
	if (holds)
		return;
	failed++;
	console.log(`failed: ${what}`);
}

export const same = (got, wanted, what) => check(JSON.stringify(got) === JSON.stringify(wanted), `${what}: got ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
