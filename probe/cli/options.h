/*
 * The command line's options: one table, from which they are parsed, helped with and (by a test)
 * held against the man page. Checks every value that can be checked without a device or a file.
 */
#ifndef GP_PROBE_CLI_OPTIONS_H
#define GP_PROBE_CLI_OPTIONS_H

#include "probe/cli/values.h"
#include "probe/sweep/sweep.h"

/* In the order of help. */
enum gp_verb_id {
    GP_VERB_RUN,
    GP_VERB_LIST,
    GP_VERB_SHOW,
    GP_VERB_EXPLAIN,
    GP_VERB_CHECK,
    GP_VERB_VERDICT,
    GP_VERB_COMPARE,
    GP_VERB_EXPORT,
    GP_VERB_IMPORT,
    GP_VERB_VIEW,
    GP_VERB_DOCTOR,
    GP_VERB_COUNT
};

enum {
    GP_CHOICES_MAX = 64,            /* scenarios, policies or claims of one run */
    GP_SETTINGS_MAX = 64,           /* --set */
    GP_SETTING_BYTES_MAX = 1 << 14, /* of all of them */
    GP_PLUGINS_MAX = 16,            /* shared objects of one option */
    GP_REPEATS_MAX = 10000,
    GP_OPERANDS_MAX = 3, /* words that are no options */
};

/* A part of a word of the command line. */
struct gp_text {
    const char *start;
    size_t length;
};

/* Entries of a table, and shared objects. */
struct gp_choices {
    uint32_t indices[GP_CHOICES_MAX]; /* of the table, and beyond its end of plugins */
    struct gp_text plugins[GP_PLUGINS_MAX];
    uint32_t count, plugin_count;
};

/* What was asked for, with the defaults. Points into itself and into argv: not to be copied, and
 * argv outlives it. */
struct gp_options {
    struct gp_choices scenarios, policies, claims; /* claims: of gp_claim_tests, no plugins */
    uint32_t streams[GP_STREAMS_MAX];
    uint32_t connections[GP_CONNECTIONS_MAX];
    struct gp_setting settings[GP_SETTINGS_MAX];
    char setting_words[GP_SETTING_BYTES_MAX]; /* what settings point to */
    uint32_t setting_bytes;
    uint32_t stream_count, setting_count;
    uint32_t connection_count; /* 0: as the environment says */
    const char *device;        /* a device spec, unchecked */
    uint32_t submits;          /* bits 1 << enum gp_submit; 0: not given */
    enum gp_issue_order order;
    enum gp_completion completion;
    enum gp_trace trace;
    bool trace_chosen;
    enum gp_reference reference;
    bool verify_off;
    uint32_t repeats;
    int64_t budget_ns;
    uint64_t seed;
    bool has_gate;
    double gate;        /* percent */
    const char *output; /* NULL: not given */
    const char *format; /* NULL: not given */
    const char *table;  /* NULL: not given */
    int64_t cell;       /* 0: not given */
    const char *op;     /* an operation's id or name; NULL: not given */
    uint32_t passes;    /* bits 1 << enum gp_pass; 0: not given */
    bool has_from, has_to;
    int64_t from_ns, to_ns;
    bool force, dry_run, timing, prove, json, quiet, verbose, help, version;
    const char *operands[GP_OPERANDS_MAX];
    uint32_t operand_count;
};

struct gp_option {
    const char *name;     /* after the two dashes */
    const char *argument; /* how help calls its value; NULL: it takes none */
    const char *help;
    /* Reads the value; NULL: it is only kept. */
    int (*parse)(struct gp_options *options, const char *value, struct gp_error *err);
    size_t field; /* without parse: offset of a const char *, or of a bool for one without value */
    uint32_t verbs; /* bit 1 << gp_verb_id for each verb that takes it */
    char letter;    /* after the one dash; 0 none */
};

extern const struct gp_option gp_option_table[];
extern const size_t gp_option_table_count;

/* Reads the words of one verb (without its own) into *out. GP_EINVAL says what is wrong with which
 * option. With --help or --version nothing after it is looked at. */
int gp_options_parse(enum gp_verb_id verb, int argc, char *const *argv, struct gp_options *out,
                     struct gp_error *err);

#endif
