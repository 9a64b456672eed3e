/* See trace.h. Everything that was lost, refused or not known is printed with the numbers. */

#include <stdio.h>
#include <stdlib.h>

#include "cli/trace/trace.h"
#include "report/text/plot.h"
#include "report/text/style.h"
#include "result/json/json.h"

static const char *const quantile_names[KB_FUNC_QUANTILES] = { "p50", "p90", "p95", "p99", "p99_9" };

/* ---- text --------------------------------------------------------------------------------------------------- */

static void print_side(const char *name, const struct kb_func_side *side)
{
	printf("  %-8s  %9zu  %9.0f", name, side->count, side->min);
	/* A quantile beyond which no call lies is nothing but the longest call. */
	for (int i = 0; i < KB_FUNC_QUANTILES; i++) {
		if (i == 0 || (double)side->count * (1 - kb_func_quantiles[i]) > .999)
			printf("  %9.0f", side->quantiles[i].value);
		else
			printf("  %9s", "-");
	}
	printf("  %11.0f  %11.1f\n", side->max, side->mean.value);
}

static void print_net(const struct kb_func_report *report, const char *name, const struct kb_interval *net)
{
	printf("  %-12s  %.1f ns", name, net->value);
	if (net->known)
		printf("  [%.1f, %.1f]\n", net->low, net->high);
	else if (report->log.tallies)
		puts("  (no interval: a tally has no order; runs of a command give one)");
	else
		printf("  (no interval: %s)\n", kb_code_words(net->why));
}

static bool disturbed(const struct kb_func_report *report)
{
	return kb_func_flagged(&report->log, KB_FUNC_DISTURBED) > 0;
}

static void print_flags(const struct kb_func_report *report)
{
	const struct kb_func_log *log = &report->log;

	if (report->unwatched.error)
		printf("which calls were disturbed is not known in full: %s\n", kb_bpf_refusal_text(&report->unwatched));
	if (log->tallies) {
		printf("disturbed: %zu calls%s\n", kb_func_flagged(log, KB_FUNC_DISTURBED), disturbed(report) ? "; `clean` is without them" : "");
		return;
	}
	printf("disturbed: %zu calls by an interrupt, %zu switched out, %zu moved to another CPU%s\n",
	       kb_func_flagged(log, KB_FLAG_IRQ), kb_func_flagged(log, KB_FLAG_SWITCH), kb_func_flagged(log, KB_FLAG_MIGRATED),
	       disturbed(report) ? "; `clean` is without them" : "");
}

static void print_nets(const struct kb_func_report *report)
{
	const struct kb_func_summary *summary = &report->summary;

	printf("\ncall - null, with its 95 %% CI over %s: what the function itself takes; the null moved by %.1f ns meanwhile\n",
	       report->count > 1 ? "the processes" : "the calls of one process, and the next may be another", summary->drift);
	print_net(report, "median", &summary->net.median);
	print_net(report, "mean", &summary->net.mean);
	if (disturbed(report) && summary->clean.count > 0) {
		print_net(report, "clean median", &summary->net_clean.median);
		print_net(report, "clean mean", &summary->net_clean.mean);
	}
	if (!summary->resolved)
		printf("not resolvable below %.0f ns (twice the spread of the null function): the median tells no more than that\n",
			summary->resolution);
}

static void print_times(const struct kb_func_report *report)
{
	const struct kb_func_summary *summary = &report->summary;

	printf("\n  %-8s  %9s  %9s  %9s  %9s  %9s  %9s  %9s  %11s  %11s\n", "ns", "calls", "min", "p50", "p90", "p95", "p99",
		"p99.9", "max", "mean");
	print_side("call", &summary->call);
	if (disturbed(report) && summary->clean.count > 0)
		print_side("clean", &summary->clean);
	if (report->summary.null.count == 0) {
		printf("\nthe probe's own cost is unverified, and still in these values: %s: %s\n", report->unverified.what,
		       report->unverified.why);
		return;
	}
	print_side("null", &summary->null);
	print_nets(report);
}

/* ---- how many calls took how long ----------------------------------------------------------------------------- */

/* Of all calls, disturbed ones as well. A new one, to be freed. */
static struct kb_func_tally *tally_of(const struct kb_func_log *log)
{
	struct kb_func_tally *all = kb_need_memory(NULL, calloc(1, sizeof *all));

	for (int i = 0; log->tallies && i < 2; i++)
		kb_func_tally_add(all, &log->tallies[i]);
	for (size_t i = 0; i < log->count; i++) {
		all->count++;
		all->bins[kb_func_bin(log->pairs[i].ns)]++;
	}
	return all;
}

static void print_histogram(const struct kb_func_report *report)
{
	struct kb_func_tally *all = tally_of(&report->log);
	double starts[KB_FUNC_BINS];
	uint64_t counts[KB_FUNC_BINS];
	size_t used = 0;

	for (uint32_t bin = 0; bin < KB_FUNC_BINS; bin++) {
		starts[used] = (double)kb_func_bin_start(bin);
		counts[used] = all->bins[bin];
		used += all->bins[bin] > 0;
	}
	printf("\nns of all calls, the probe's cost included; dark: share of a line, light: of all lines up to it\n");
	kb_plot_counts(stdout, starts, counts, used, report->step, kb_plot_width(stdout), kb_style_here(false).utf8);
	free(all);
}

static json_t *histogram_json(const struct kb_func_report *report)
{
	struct kb_func_tally *all = tally_of(&report->log);
	json_t *bins = json_array();
	uint64_t upto = 0;

	for (uint32_t bin = 0; bin < KB_FUNC_BINS; bin++) {
		upto += all->bins[bin];
		if (all->bins[bin] > 0)
			json_array_append_new(bins, json_pack("{s:o, s:o, s:o, s:o}", "low_ns", kb_json_whole(kb_func_bin_start(bin)), "high_ns",
				kb_json_whole(kb_func_bin_start(bin + 1)), "calls", kb_json_whole(all->bins[bin]), "cdf",
				kb_json_real((double)upto / (double)all->count)));
	}
	free(all);
	return bins;
}

void kb_func_report_print(const struct kb_func_report *report)
{
	const struct kb_func_counts *counts = &report->log.counts;

	for (int i = 0; i < report->refusal_count; i++)
		printf("refused: %s\n", kb_bpf_refusal_text(&report->refusals[i]));
	printf("%s by %s: %zu calls in %.3f s", report->function, kb_func_route_names[report->route], kb_func_calls(&report->log),
	       (double)report->log.elapsed_ns / 1e9);
	if (report->count > 1)
		printf(", %u processes", report->count);
	if (report->step > 1)
		printf("; the clock moves in steps of %.0f ns, which CIs of medians contain", report->step);
	putchar('\n');
	printf("%llu events, %llu lost%s, %llu missed (probe left out), %llu torn; unpaired: %llu entries, %llu exits\n",
	       (unsigned long long)counts->events, (unsigned long long)counts->lost, counts->lost ? " (log full)" : "",
	       (unsigned long long)counts->missed, (unsigned long long)counts->torn, (unsigned long long)counts->open,
	       (unsigned long long)counts->unopened);
	if (report->log.closed_ns)
		printf("the log was full after %.3f s: what came later is not in the numbers (--limit %llu)\n",
		       (double)report->log.closed_ns / 1e9, (unsigned long long)report->limit);
	if (report->route == KB_FUNC_KPROBE)
		puts("a return that a kretprobe misses shows as an unpaired entry");
	if (report->ending[0])
		printf("%s\n", report->ending);
	if (report->other[0])
		printf("process %u is left out, for it ended otherwise than the first: %s\n", report->count + 1, report->other);
	if (kb_func_calls(&report->log) == 0)
		return;
	print_flags(report);
	print_times(report);
	if (report->histogram)
		print_histogram(report);
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static json_t *side_json(const struct kb_func_side *side)
{
	json_t *object;

	if (side->count == 0)
		return json_null();
	object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "calls", kb_json_whole(side->count), "min_ns",
		kb_json_real(side->min), "max_ns", kb_json_real(side->max), "mean_ns", kb_trace_interval_json(&side->mean),
		"sd_ns", kb_json_real(side->sd), "spread_ns", kb_json_real(side->spread));
	for (int i = 0; i < KB_FUNC_QUANTILES; i++) {
		char name[24];

		snprintf(name, sizeof name, "%s_ns", quantile_names[i]);
		json_object_set_new(object, name, kb_trace_interval_json(&side->quantiles[i]));
	}
	return object;
}

static json_t *refusal_json(const struct kb_bpf_refusal *refusal)
{
	return json_pack("{s:o, s:s, s:o}", "facility", kb_json_string(refusal->what), "errno",
			 kb_bpf_errno_name(refusal->error), "why", kb_json_string(refusal->why));
}

static json_t *net_json(const struct kb_func_report *report)
{
	const struct kb_func_summary *summary = &report->summary;
	bool clean = summary->clean.count > 0;

	if (report->summary.null.count == 0 || kb_func_calls(&report->log) == 0)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "median_ns", kb_trace_interval_json(&summary->net.median),
		"mean_ns", kb_trace_interval_json(&summary->net.mean), "clean_median_ns",
		clean ? kb_trace_interval_json(&summary->net_clean.median) : json_null(), "clean_mean_ns",
		clean ? kb_trace_interval_json(&summary->net_clean.mean) : json_null(), "null_drift_ns", kb_json_real(summary->drift),
		"resolution_ns", kb_json_real(summary->resolution), "resolved", summary->resolved);
}

/* null: it was not looked for, or only whether anything disturbed a call. */
static json_t *flag_json(const struct kb_func_log *log, unsigned flag)
{
	return log->watched & flag && !log->tallies ? kb_json_whole(kb_func_flagged(log, flag)) : json_null();
}

/* Of each process: its calls, their median and mean, and the null function's median behind them. */
static json_t *processes_json(const struct kb_func_report *report)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < report->count; i++) {
		const struct kb_func_side *call = &report->processes[i].call;
		bool any = call->count > 0;

		json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:o}", "calls", kb_json_whole(call->count), "p50_ns",
			any ? kb_json_real(call->quantiles[0].value) : json_null(), "mean_ns", any ? kb_json_real(call->mean.value) : json_null(),
			"null_p50_ns", report->processes[i].behind.count ? kb_json_real(report->processes[i].behind.quantiles[0].value) : json_null()));
	}
	return array;
}

json_t *kb_func_report_json(const struct kb_func_report *report)
{
	const struct kb_func_log *log = &report->log;
	json_t *refused = json_array(), *counts, *disturbed;

	counts = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "events", kb_json_whole(log->counts.events), "lost",
			   kb_json_whole(log->counts.lost), "missed", kb_json_whole(log->counts.missed), "torn", kb_json_whole(log->counts.torn),
			   "unpaired_entries", kb_json_whole(log->counts.open), "unpaired_exits", kb_json_whole(log->counts.unopened));
	disturbed = json_pack("{s:o, s:o, s:o}", "irq", flag_json(log, KB_FLAG_IRQ), "ctxsw", flag_json(log, KB_FLAG_SWITCH), "migrated",
			      flag_json(log, KB_FLAG_MIGRATED));
	for (int i = 0; i < report->refusal_count; i++)
		json_array_append_new(refused, refusal_json(&report->refusals[i]));
	return json_pack("{s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "schema", KB_TRACE_SCHEMA, "function",
		kb_json_string(report->function), "route", kb_func_route_names[report->route], "refused", refused, "limit",
		kb_json_whole(report->limit), "elapsed_ns", kb_json_whole(report->log.elapsed_ns), "full_after_ns",
		report->log.closed_ns ? kb_json_whole(report->log.closed_ns) : json_null(), "counts",
		counts, "disturbed", disturbed, "call",
		side_json(&report->summary.call), "clean", side_json(&report->summary.clean), "null",
		side_json(&report->summary.null), "net", net_json(report), "unverified",
		report->summary.null.count ? json_null() : refusal_json(&report->unverified), "clock_step_ns", kb_json_real(report->step),
		"processes", processes_json(report), "left_out", report->other[0] ? kb_json_string(report->other) : json_null(), "tally",
		log->tallies != NULL, "histogram", report->histogram ? histogram_json(report) : json_null());
}
