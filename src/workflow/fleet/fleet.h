/*
 * One measurement on many machines. Each node measures into a store of its own and leaves, at its end, one small file that tells how it
 * ended; a transport starts nodes, follows them, and brings both here. What a fleet is stands in a directory of its state, so that another
 * process gathers what was measured when this one is gone. Nothing here prints or exits.
 */
#ifndef KB_WORKFLOW_FLEET_FLEET_H
#define KB_WORKFLOW_FLEET_FLEET_H

#include <jansson.h>
#include <limits.h>

#include "base/text.h"
#include "run/place.h"
#include "scratch.h"
#include "store/store.h"
#include "workflow/exit.h"

#define KB_FLEET_NODES_MOST 4096
#define KB_FLEET_REASON 200
#define KB_FLEET_NONE (-1)      /* an exit code that is not known */

enum kb_fleet_via { KB_FLEET_LOCAL, KB_FLEET_SSH, KB_FLEET_SLURM, KB_FLEET_VIAS };

enum kb_fleet_state { KB_NODE_WAITING, KB_NODE_RUNNING, KB_NODE_DONE, KB_NODE_LOST };

struct kb_fleet_node {
	char name[KB_PLACE_NODE + 1];   /* "": the scheduler has not chosen it yet */
	unsigned rank;
	enum kb_fleet_state state;
	int exit;                       /* of the kbench there; KB_FLEET_NONE: not known */
	char reason[KB_FLEET_REASON];   /* why it is lost */
	char waits[40];                 /* why it waits, in the scheduler's word; "": not known */
	bool again;                     /* lost, but what it measured may still be there: to be gathered later */
	bool gathered;                  /* all that is to be had of it is here */

	/* What it measured, once it is gathered. */
	char runs[2][37];
	unsigned run_count, results, verdicts[KB_STATUSES];

	/* The transport's. */
	pid_t child;                    /* 0: none */
	int signal;                     /* that ended it; 0: none */
	bool began;                     /* what it does goes on without us */
	const char *stopped;            /* why we asked it to end; NULL: we did not */
	unsigned attempts;
	uint64_t running_ns, ended_ns;  /* of our clock, since when; 0: not yet */
	uint64_t left_s;                /* of its time limit, at most; 0: not known */
};

/* What is asked for. All that it points to outlives the fleet. */
struct kb_fleet_request {
	enum kb_fleet_via via;
	unsigned nodes;                 /* local and Slurm */
	const char *hosts, *hosts_file; /* ssh: names with commas; a name a line */
	const char *kbench;             /* on the nodes; NULL: this program, or of ssh the one in PATH there */
	const char *store;              /* NULL: the usual one */
	uint64_t time_ns, budget_ns;    /* limit of one node; of all of it, 0: none */
	const char *partition, *slurm;  /* further words of sbatch */
	const char *directory;          /* Slurm: that all nodes see; NULL: where we are */
	const char *ssh;                /* words of ssh; NULL: ssh */
	bool share;                     /* nodes may share a machine */
	const char *const *sides;       /* two, for kbench ab; NULL: kbench run */
	char *const *words;             /* of kbench run, or ab */
	size_t word_count;
};

struct kb_fleet {
	char id[37];
	const struct kb_fleet_transport *transport;
	char state[PATH_MAX];           /* directory of its state */
	char place[PATH_MAX];           /* directory of the nodes' directories: the same, or one that all of them see */
	char store[PATH_MAX];           /* that results go to, whole */
	char job[24];                   /* of Slurm; "": not known */
	char *ssh;                      /* words */
	char started[21], finished[21];
	uint64_t time_ns, deadline_ns;  /* deadline: of our clock; 0: none */
	bool share;
	struct kb_fleet_node *nodes;
	size_t count;
	bool cancelled;                 /* by a signal, or the budget */
	uint64_t cancelled_ns;          /* since when */
	int signal;                     /* 0: none */
	int lock;

	/* The transport's. */
	uint64_t silent_ns;             /* of our clock, since when the scheduler does not answer; 0: it does */
	struct kb_scratch scratch;
	char control[64];               /* of ssh's connections; "": none */
};

/* How nodes are reached. All return at once, but for as long as a program like squeue takes. */
struct kb_fleet_transport {
	const char *name;
	uint64_t least_ns, most_ns;     /* from one poll to the next: the pause grows from one to the other */

	/* Whether it can be used here, before anything is made: adds nodes, and what it needs. */
	int (*prepare)(const struct kb_fleet_request *, struct kb_fleet *, struct kb_failure *);
	/* Starts all nodes, each by its script; a failure if none can be. */
	int (*start)(const struct kb_fleet_request *, struct kb_fleet *, struct kb_failure *);
	/* Takes over what another process started. */
	int (*attach)(struct kb_fleet *, struct kb_failure *);
	/* Brings the states of nodes up to date. */
	void (*poll)(struct kb_fleet *);
	/* Asks a node that has not ended to end, keeping what it measured; NULL: all of them. */
	void (*cancel)(struct kb_fleet *, struct kb_fleet_node *);
	/* Brings the node's store here, as kb_fleet_path(.., "kbench.db"); NULL: it is written there. 0; -ENOENT: it has none; else -errno, and
	   the node's reason. */
	int (*fetch)(struct kb_fleet *, struct kb_fleet_node *);
	/* Ends connections; NULL: there are none. What nodes left behind on other machines is removed, where it was gathered. */
	void (*close)(struct kb_fleet *);
};

extern const struct kb_fleet_transport kb_fleet_local, kb_fleet_ssh, kb_fleet_slurm;
extern const struct kb_fleet_transport *const kb_fleet_transports[KB_FLEET_VIAS];

/* Told of each change of a node, and between polls. */
struct kb_fleet_observer {
	void *context;
	void (*changed)(void *context, const struct kb_fleet *, const struct kb_fleet_node *);
	void (*tick)(void *context, const struct kb_fleet *);
};

/* Runs it to its end and gathers what was measured. Signals cancel the nodes that have not ended. 0 also where nodes are lost; else the
   code of the failure. Release it in any case. */
int kb_fleet_run(const struct kb_fleet_request *, const struct kb_fleet_observer *, struct kb_fleet *, struct kb_failure *);

/* The same of one that is there: its id, or a unique prefix of it. store NULL: the one that it was started with. */
int kb_fleet_gather(const char *name, const char *store, const struct kb_fleet_observer *, struct kb_fleet *, struct kb_failure *);
void kb_fleet_release(struct kb_fleet *);

/* 5 if a node is lost or a benchmark failed, 2 if no node could do what was asked, and what the signal does. */
int kb_fleet_code(const struct kb_fleet *);

/* Whether its state stays: something may still be gathered. */
bool kb_fleet_stays(const struct kb_fleet *);

struct kb_fleet_tally { size_t waiting, running, done, lost; uint64_t left_s; bool left_known; };
struct kb_fleet_tally kb_fleet_count(const struct kb_fleet *);

/* Why the first node waits that does; "": none, or it is not known. */
const char *kb_fleet_waits(const struct kb_fleet *);

/* "1 of 4 nodes done, 2 running, 1 waiting (Resources), 1 lost", "at most 1:20 left" where none waits. Returns line. */
#define KB_FLEET_LINE 160
const char *kb_fleet_progress(const struct kb_fleet *, char line[KB_FLEET_LINE]);

const char *kb_fleet_state_name(enum kb_fleet_state);

/* As kbench-fleet-run/1, and an element of kbench-fleets/1. */
json_t *kb_fleet_to_json(const struct kb_fleet *, int code);

/* ---- hosts.c -------------------------------------------------------------------------------------------------- */

/* Adds a node of this name; "": it is not known yet. */
int kb_fleet_add(struct kb_fleet *, const char *name, struct kb_failure *);

/* Names with commas, and a file with a name a line, '#' begins a comment. Each name once. */
int kb_fleet_add_hosts(struct kb_fleet *, const char *list, struct kb_failure *);
int kb_fleet_add_hosts_of(struct kb_fleet *, const char *path, struct kb_failure *);

/* ---- script.c: what a node does -------------------------------------------------------------------------------- */

/* One word for a POSIX shell, whatever is in it. */
void kb_fleet_quote(FILE *out, const char *word);

/* The script of each node: `sh SCRIPT DIRECTORY RANK NODE`; of a task of Slurm `SCRIPT PLACE`, the rest is in its environment. */
int kb_fleet_write_script(const struct kb_fleet_request *, const struct kb_fleet *, FILE *out);

/* What it wrote at its end. False: nothing, or not all of it. */
bool kb_fleet_read_end(const char *text, struct kb_fleet_node *);

/* The state that the exit code of its kbench leads to; the reason is already there, if there is one. */
void kb_fleet_settle(struct kb_fleet_node *);

/* ---- state.c ---------------------------------------------------------------------------------------------------- */

/* Makes the directories, and the nodes' ones in `place`. */
int kb_fleet_state_make(struct kb_fleet *, struct kb_failure *);
int kb_fleet_state_save(const struct kb_fleet *, struct kb_failure *);

/* Finds it by its name, locks it, reads it. */
int kb_fleet_state_load(struct kb_fleet *, const char *name, struct kb_failure *);

/* All that stay, oldest first, as an array of {"id", "started", "via", "job", "nodes"}; NULL: no memory. */
json_t *kb_fleet_states(void);
void kb_fleet_state_remove(struct kb_fleet *);

/* "PLACE/r3/NAME"; "" where that is too long. Returns path. */
const char *kb_fleet_path(const struct kb_fleet *, const struct kb_fleet_node *, const char *name, char path[PATH_MAX]);

/* Reads the node's `end` file: whether it has ended, with its state settled. */
bool kb_fleet_look(const struct kb_fleet *, struct kb_fleet_node *);

/* The node is lost for this reason. again: what it measured may still be there. */
void kb_fleet_lose(struct kb_fleet_node *, bool again, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- slurm_text.c ----------------------------------------------------------------------------------------------- */

/* A task of a job array, as squeue, sacct or scontrol tells of it. */
struct kb_slurm_task {
	char job[24], state[24], node[KB_PLACE_NODE + 1], reason[64];
	uint64_t rank, left_s;
};

/* Lines of `squeue --format=%F|%K|%T|%N|%r|%L`, `sacct --parsable2 --format=JobID,State,NodeList` and `scontrol --oneliner show job`.
   False: it is none. */
bool kb_slurm_read_squeue(struct kb_span line, struct kb_slurm_task *);
bool kb_slurm_read_sacct(struct kb_span line, struct kb_slurm_task *);
bool kb_slurm_read_scontrol(struct kb_span line, struct kb_slurm_task *);

/* "1-02:03:04", "1:20". */
bool kb_slurm_read_time(struct kb_span text, uint64_t *seconds);

/* The job that sbatch --parsable names; false: none. */
bool kb_slurm_read_job(const char *text, char job[24]);

/* What becomes of the node whose task is in this state. Whether the task has ended; late: for so long that how its script ended must be known
   here, and else never will be. */
bool kb_slurm_settle(struct kb_fleet_node *, const struct kb_slurm_task *, bool late);

#endif
