/*
 * What the paper printed: tables 1 and 2, figures 4 to 7. Figure 8 has the same points as figures 5 to 7 and its lines; they
 * are in study/published_data.c. A test holds both against each other.
 */
#include "study/yamba_paper.h"

const struct kb_paper_lmbench kb_paper_lmbench[KB_PAPER_PLATFORMS] = {
	{ "C1_Darwin", 567.1450, 0, 0.069, 14.54 },
	{ "C1_Linux", 1.1617, 398.9608, 0.046, 21.63 },
	{ "C2_Darwin", 90.0432, 0, 0.068, 14.71 },
	{ "C2_Linux", 1.5016, 63.0881, 0.046, 21.51 },
};

const struct kb_paper_figure kb_paper_figures[KB_PAPER_PLATFORMS * KB_PAPER_SCALES] = {
	{ "C1_Darwin", 16, 2360.58, 0.0833, 8.42 },
	{ "C1_Linux", 16, 2542.07, 0.0137, 1.00 },
	{ "C2_Darwin", 16, 1124.16, 0.0051, 8.42 },
	{ "C2_Linux", 16, 676.75, 0.0045, 1.00 },
	{ "C1_Darwin", 32, 4748.56, 0.0697, 9.30 },
	{ "C1_Linux", 32, 5087.88, 0.0491, 8.55 },
	{ "C2_Darwin", 32, 1176.83, 0.0528, 9.30 },
	{ "C2_Linux", 32, 882.51, 0.0033, 8.55 },
	{ "C1_Darwin", 64, 9283.69, 0.0673, 11.00 },
	{ "C1_Linux", 64, 9955.01, 0.0236, 32.00 },
	{ "C2_Darwin", 64, 1212.67, 0.0063, 11.00 },
	{ "C2_Linux", 64, 1754.04, 0.0016, 32.00 },
};
