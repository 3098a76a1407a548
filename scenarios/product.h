/*
 * The check of large products, c = a · b, without computing them (Freivalds: "Probabilistic
 * machines can use less running time", 1977): c is right when c · signs is a · (b · signs), but for
 * chance; one wrong element of a row never escapes, because no sign is 0. Private to scenarios/.
 */
#ifndef GP_SCENARIOS_PRODUCT_H
#define GP_SCENARIOS_PRODUCT_H

#include "core/random.h"
#include "scenarios/scenario.h"

/* Products of a few distinct a with one b, whole numbers of which every sum is exact. */
struct gp_product {
    uint32_t m, n, k;
    uint32_t inputs;    /* distinct a */
    const float *a;     /* [inputs][m][k], on the host; borrowed */
    const float *b;     /* [k][n], on the host; borrowed */
    float *signs;       /* [n], each 1 or −1 */
    float *right;       /* [inputs][m], a · (b · signs) */
    float *room, *sums; /* one c, and a vector of m or k */
};

/* Fills in what is not borrowed; after a failure finish takes what there is, as it takes a zeroed
 * struct. */
int gp_product_init(struct gp_product *product, struct gp_workload *workload,
                    struct gp_random *random, struct gp_error *err);
void gp_product_finish(struct gp_product *product);

/* Reads c number `index` of a buffer of such, [m][n] each, and checks it; its a is number index mod
 * inputs. GP_EVERIFY names the first wrong element; `item` says what it is of. */
int gp_product_verify(const struct gp_product *product, struct gp_workload *workload,
                      struct gp_buffer *c, uint32_t index, const char *item, struct gp_error *err);

#endif
