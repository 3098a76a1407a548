/* What to do: see advice_print.h. */
#include "probe/cli/advice_print.h"

#include <inttypes.h>

#include "probe/cli/json.h"
#include "probe/cli/words.h"

void gp_advice_print(const struct gp_advices *advices, const struct gp_terminal *terminal)
{
    struct gp_words words = {.used = 0};

    for (uint32_t i = 0; i < advices->count; i++) {
        gp_words_say(&words, "%" PRIu32 ". %s", i + 1, advices->all[i].text);
        gp_words_print(&words, terminal, 2, 5);
    }
}

json_t *gp_advice_json(const struct gp_advices *advices)
{
    json_t *list = gp_json_need(json_array());

    for (uint32_t i = 0; i < advices->count; i++) {
        const struct gp_advice *advice = &advices->all[i];

        (void)json_array_append_new(
            list,
            gp_json_need(json_pack(
                "{s:o, s:o, s:o, s:o, s:s, s:o}", "text", gp_json_text(advice->text), "gain",
                gp_json_ratio(advice->gain), "gain_lo", gp_json_ratio(advice->gain_lo), "gain_hi",
                gp_json_ratio(advice->gain_hi), "sureness", gp_sureness_name(advice->sureness),
                "cause",
                advice->cause == GP_CAUSE_COUNT ? json_null()
                                                : json_string(gp_cause_name(advice->cause)))));
    }
    return list;
}
