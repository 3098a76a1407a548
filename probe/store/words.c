/* The words of the enumerated columns: see words.h. */
#include "probe/store/words.h"

#include <assert.h>
#include <string.h>

#include "probe/record.h"

struct list {
    const char *title;
    const char *const *words; /* by value; NULL: no such value */
    int count;
};

#define X(name, word) word,
static const char *const origins[] = {GP_ORIGINS(X)};
static const char *const submits[] = {GP_SUBMITS(X)};
static const char *const orders[] = {GP_ISSUE_ORDERS(X)};
static const char *const statuses[] = {GP_STATUSES(X)};
static const char *const passes[] = {GP_PASSES(X)};
static const char *const traces[] = {GP_TRACES(X)};
static const char *const sources[] = {GP_SOURCES(X)};
static const char *const op_kinds[] = {GP_OP_KINDS(X)};
static const char *const edge_kinds[] = {GP_EDGE_KINDS(X)};
static const char *const edge_hows[] = {GP_EDGE_HOWS(X)};
static const char *const causes[] = {GP_CAUSES(X)};
static const char *const completions[] = {GP_COMPLETIONS(X)};
static const char *const answers[] = {GP_VERDICTS(X)};
#undef X
static const char *const clocks[] = {"ping", "event", "cupti"};
static const char *const stream_flags[] = {
    [GP_STREAM_NON_BLOCKING] = "non-blocking",
    [GP_STREAM_BLOCKING] = "blocking",
    [GP_STREAM_NULL] = "null",
    [GP_STREAM_PER_THREAD] = "per-thread",
};
static const char *const accesses[] = {
    [GP_ACCESS_READ] = "r",
    [GP_ACCESS_WRITE] = "w",
    [GP_ACCESS_READ_WRITE] = "rw",
};

#define LIST(title, words)                                                                         \
    {                                                                                              \
        title, words, (int)(sizeof(words) / sizeof(words)[0])                                      \
    }
static const struct list lists[] = {
    [GP_WORDS_ORIGIN] = LIST("device kind", origins),
    [GP_WORDS_SUBMIT] = LIST("submit mode", submits),
    [GP_WORDS_ORDER] = LIST("issue order", orders),
    [GP_WORDS_STATUS] = LIST("status", statuses),
    [GP_WORDS_PASS] = LIST("pass", passes),
    [GP_WORDS_TRACE] = LIST("trace", traces),
    [GP_WORDS_SOURCE] = LIST("time source", sources),
    [GP_WORDS_OP_KIND] = LIST("operation kind", op_kinds),
    [GP_WORDS_EDGE_KIND] = LIST("edge kind", edge_kinds),
    [GP_WORDS_EDGE_HOW] = LIST("edge keeping", edge_hows),
    [GP_WORDS_STREAM_FLAG] = LIST("stream flag", stream_flags),
    [GP_WORDS_ACCESS] = LIST("access mode", accesses),
    [GP_WORDS_COMPLETION] = LIST("completion mode", completions),
    [GP_WORDS_CAUSE] = LIST("cause of a wait", causes),
    [GP_WORDS_CLOCK] = LIST("kind of clock sample", clocks),
    [GP_WORDS_VERDICT] = LIST("answer to a claim", answers),
};
#undef LIST

const char *gp_word(enum gp_words list, int value)
{
    assert((int)list >= 0 && list < GP_WORDS_COUNT);
    if (value < 0 || value >= lists[list].count || lists[list].words[value] == NULL) {
        return "unknown";
    }
    return lists[list].words[value];
}

int gp_word_find(enum gp_words list, const char *word)
{
    assert((int)list >= 0 && list < GP_WORDS_COUNT);
    if (word == NULL) {
        return -1;
    }
    for (int i = 0; i < lists[list].count; i++) {
        if (lists[list].words[i] != NULL && strcmp(lists[list].words[i], word) == 0) {
            return i;
        }
    }
    return -1;
}

int gp_words_size(enum gp_words list)
{
    assert((int)list >= 0 && list < GP_WORDS_COUNT);
    return lists[list].count;
}

const char *gp_words_title(enum gp_words list)
{
    assert((int)list >= 0 && list < GP_WORDS_COUNT);
    return lists[list].title;
}
