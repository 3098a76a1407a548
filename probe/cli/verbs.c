/* The table of verbs: see verbs.h. */
#include "probe/cli/verbs.h"

const struct gp_verb gp_verb_table[GP_VERB_COUNT] = {
    [GP_VERB_RUN] = {"run", "run scenarios under policies and pool sizes, and say which is best",
                     "[run] --scenario NAME[,NAME...] [OPTION...]", NULL, 0, gp_cli_run},
    [GP_VERB_LIST] = {"list", "what there is to choose from",
                      "list scenarios|policies|devices|formats|imports",
                      "scenarios|policies|devices|formats|imports", 1, gp_cli_list},
    [GP_VERB_SHOW] = {"show", "the results that a recording holds", "show FILE [OPTION...]", "FILE",
                      1, gp_cli_show},
    [GP_VERB_EXPLAIN] = {"explain",
                         "why a recording's cells took as long as they did, and what would help",
                         "explain FILE [OPTION...]", "FILE", 1, gp_cli_explain},
    [GP_VERB_CHECK] = {"check", "whether what must hold in every run holds in a recording",
                       "check FILE [OPTION...]", "FILE", 1, gp_cli_check},
    [GP_VERB_COMPARE] = {"compare",
                         "two recordings cell by cell, or one beside another tool's trace of it",
                         "compare A B [ALONE] [OPTION...]", "A B [ALONE]", 3, gp_cli_compare},
    [GP_VERB_EXPORT] = {"export", "write a recording's rows in another format",
                        "export FILE --format NAME [-o OUT] [OPTION...]", "FILE", 1, gp_cli_export},
    [GP_VERB_IMPORT] = {"import", "make a recording of another tool's trace",
                        "import FILE [-o OUT] [OPTION...]", "FILE", 1, gp_cli_import},
    [GP_VERB_VIEW] = {"view", "open a recording in the viewer", "view FILE [OPTION...]", "FILE", 1,
                      gp_cli_view},
    [GP_VERB_DOCTOR] = {"doctor", "what was found here, what will be used, and why",
                        "doctor [OPTION...]", NULL, 0, gp_cli_doctor},
};
