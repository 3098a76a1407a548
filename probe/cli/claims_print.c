/* Answers to claims, printed: see claims_print.h. */
#include "probe/cli/claims_print.h"

#include <stdio.h>

#include "probe/cli/json.h"
#include "probe/cli/table.h"

enum { INDENT = 4, LINE_BYTES_MAX = 2048 };

static const char *const answers[GP_VERDICT_COUNT] = {
    [GP_VERDICT_HOLDS] = "holds",
    [GP_VERDICT_FAILS] = "does not hold",
    [GP_VERDICT_UNKNOWN] = "cannot be told here",
};

/* What a file says is printed without what could move the cursor. */
static void copy_safe(const char *text, char *out, size_t bytes)
{
    size_t used = 0;

    for (; *text != '\0' && used + 1 < bytes; text++) {
        out[used++] = (char)(gp_terminal_is_safe(*text) ? *text : '?');
    }
    out[used] = '\0';
}

static void print_wrapped(const char *text, const char *end)
{
    char safe[LINE_BYTES_MAX];
    char line[LINE_BYTES_MAX + 8];

    copy_safe(text, safe, sizeof safe);
    (void)snprintf(line, sizeof line, "%s%s", safe, end);
    printf("%*s", INDENT, "");
    gp_table_print_wrapped(line, INDENT);
}

static void print_one(const struct gp_verdict_row *verdict, const struct gp_terminal *terminal)
{
    json_t *evidence = json_loads(verdict->evidence, 0, NULL);
    const char *sentence = json_string_value(json_object_get(evidence, "sentence"));
    const char *text = json_string_value(json_object_get(evidence, "text"));
    char claim[LINE_BYTES_MAX];

    copy_safe(verdict->claim, claim, sizeof claim);
    printf("%s%s%s: %s%s%s\n", gp_terminal_bold(terminal), claim, gp_terminal_plain(terminal),
           verdict->answer == GP_VERDICT_FAILS ? gp_terminal_red(terminal) : "",
           answers[verdict->answer], gp_terminal_plain(terminal));
    if (sentence != NULL) {
        print_wrapped(sentence, "");
    }
    if (text != NULL) {
        print_wrapped(text, ".");
    }
    json_decref(evidence);
}

void gp_claims_print(struct gp_reader *reader, const struct gp_verdict_row *verdicts,
                     uint32_t count, const struct gp_terminal *terminal)
{
    uint32_t counts[GP_VERDICT_COUNT] = {0};
    uint32_t device_count = 0;
    const struct gp_device_row *devices = gp_reader_devices(reader, &device_count);

    if (count == 0) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        print_one(&verdicts[i], terminal);
        counts[verdicts[i].answer]++;
    }
    printf("\nOf %u claim%s %u hold%s, %u do%s not, %u cannot be told here.%s\n", count,
           count == 1 ? "" : "s", counts[GP_VERDICT_HOLDS],
           counts[GP_VERDICT_HOLDS] == 1 ? "s" : "", counts[GP_VERDICT_FAILS],
           counts[GP_VERDICT_FAILS] == 1 ? "es" : "", counts[GP_VERDICT_UNKNOWN],
           device_count > 0 && devices[0].kind == GP_ORIGIN_MODEL
               ? " This is about the model, not about a GPU."
               : "");
}

json_t *gp_claims_json(struct gp_reader *reader, const struct gp_verdict_row *verdicts,
                       uint32_t count)
{
    json_t *list = gp_json_need(json_array());

    for (uint32_t i = 0; i < count; i++) {
        const struct gp_device_row *device = gp_reader_device(reader, verdicts[i].device);
        json_t *evidence = json_loads(verdicts[i].evidence, 0, NULL);
        json_t *verdict = gp_json_need(json_pack(
            "{s:o, s:s, s:o}", "claim", gp_json_text(verdicts[i].claim), "answer",
            gp_verdict_name(verdicts[i].answer), "connections",
            device != NULL && device->connections != GP_UNKNOWN ? json_integer(device->connections)
                                                                : json_null()));

        if (evidence != NULL) {
            (void)json_object_update_missing(verdict, evidence);
        }
        json_decref(evidence);
        (void)json_array_append_new(list, verdict);
    }
    return list;
}
