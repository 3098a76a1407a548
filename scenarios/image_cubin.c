/* Kernels in a cubin, an ELF file of machine 190: their symbols, and of each the sections
 * .nv.info.NAME (attributes) and .nv.shared.NAME. Nothing of the file is believed: a range that
 * does not lie in it is an error. */
#include <assert.h>
#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "core/memory.h"
#include "scenarios/image_parts.h"

enum {
    MACHINE_CUDA = 190,
    /* From this ABI on the flags have the architecture in their second byte; before, in the first.
     */
    ABI_SECOND_BYTE = 8,
    SYMBOL_IS_KERNEL = 0x10, /* of st_other */
    /* A compiler for sm_90 and later counts this much, which the hardware keeps for itself, as
     * shared memory of the kernel. */
    RESERVED_SHARED_BYTES = 1024,
};

/* Attributes: a form, a code, and two bytes, which are the value or, of SIZED, the length of what
 * follows. */
enum { FORM_NONE = 1, FORM_BYTE = 2, FORM_HALF = 3, FORM_SIZED = 4 };
enum {
    CODE_PARAM = 0x17,        /* index, ordinal and offset, and flags with the size */
    CODE_PARAMS_BYTES = 0x19, /* of all of them */
    CODE_REGISTERS = 0x2f,    /* symbol, count */
};

struct cubin {
    struct gp_image_file *file;
    Elf64_Ehdr head;
    struct gp_error *err;
};

struct range {
    const char *at;
    uint64_t bytes;
};

static int fail_cut(const struct cubin *cubin, const char *what)
{
    return gp_fail(cubin->err, GP_EPARSE,
                   "the cubin is cut off or damaged: %s does not lie in its %zu bytes", what,
                   cubin->file->byte_count);
}

static bool lies_within(const struct cubin *cubin, uint64_t at, uint64_t bytes)
{
    return at <= cubin->file->byte_count && bytes <= cubin->file->byte_count - at;
}

/* Copied: the file need not be aligned. The index is below e_shnum. */
static Elf64_Shdr section_at(const struct cubin *cubin, uint32_t index)
{
    Elf64_Shdr section;

    memcpy(&section, cubin->file->bytes + cubin->head.e_shoff + index * sizeof section,
           sizeof section);
    return section;
}

/* What is in a section; nothing of one that has no bytes in the file. */
static int read_range(const struct cubin *cubin, const Elf64_Shdr *section, struct range *out)
{
    *out = (struct range){cubin->file->bytes, 0};
    if (section->sh_type == SHT_NOBITS || section->sh_type == SHT_NULL) {
        return 0;
    }
    if (!lies_within(cubin, section->sh_offset, section->sh_size)) {
        return fail_cut(cubin, "a section");
    }
    *out = (struct range){cubin->file->bytes + section->sh_offset, section->sh_size};
    return 0;
}

/* The string at that offset of a string table; NULL: there is none. The file ends with a NUL that
 * is ours, but the table must hold its own. */
static const char *string_at(const struct range *strings, uint64_t offset)
{
    if (offset >= strings->bytes ||
        memchr(strings->at + offset, '\0', strings->bytes - offset) == NULL) {
        return NULL;
    }
    return strings->at + offset;
}

static int read_section_strings(const struct cubin *cubin, struct range *out)
{
    Elf64_Shdr section;

    if (cubin->head.e_shstrndx >= cubin->head.e_shnum) {
        return fail_cut(cubin, "the table of names");
    }
    section = section_at(cubin, cubin->head.e_shstrndx);
    return read_range(cubin, &section, out);
}

/* The first section named PREFIXname; false: none. */
static bool find_section(const struct cubin *cubin, const struct range *strings, const char *prefix,
                         const char *name, Elf64_Shdr *out)
{
    size_t length = strlen(prefix);

    for (uint32_t i = 0; i < cubin->head.e_shnum; i++) {
        const char *found;

        *out = section_at(cubin, i);
        found = string_at(strings, out->sh_name);
        if (found != NULL && strncmp(found, prefix, length) == 0 &&
            strcmp(found + length, name) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- attributes ---------------------------------------------------------------------------- */

struct attribute {
    uint8_t form, code;
    uint16_t value;    /* of SIZED: the bytes that follow */
    const char *bytes; /* of SIZED */
};

static uint32_t word_of(const char *at, uint32_t index)
{
    uint32_t word;

    memcpy(&word, at + index * sizeof word, sizeof word);
    return word;
}

/* Takes the next one off the range; false: there is none, or what is left is no attribute. */
static bool take_attribute(struct range *left, struct attribute *out)
{
    uint64_t used = 4;

    if (left->bytes < used) {
        return false;
    }
    out->form = (uint8_t)left->at[0];
    out->code = (uint8_t)left->at[1];
    memcpy(&out->value, left->at + 2, sizeof out->value);
    out->bytes = left->at + 4;
    used += out->form == FORM_SIZED ? out->value : 0;
    if (out->form < FORM_NONE || out->form > FORM_SIZED || left->bytes < used) {
        return false;
    }
    *left = (struct range){left->at + used, left->bytes - used};
    return true;
}

/* One parameter; the end of the last one. */
static void add_param(struct gp_image_entry *entry, const char *bytes, uint32_t *end)
{
    uint32_t ordinal = word_of(bytes, 1) & 0xffff;
    uint32_t offset = word_of(bytes, 1) >> 16;
    uint32_t size = word_of(bytes, 2) >> 18;

    if (ordinal < GP_KERNEL_ARGS_MAX) {
        entry->arg_bytes[ordinal] = size;
    }
    entry->arg_count++;
    *end = offset + size > *end ? offset + size : *end;
}

static bool are_params_whole(const struct gp_image_entry *entry, uint32_t end, uint32_t said)
{
    for (uint32_t i = 0; i < entry->arg_count && i < GP_KERNEL_ARGS_MAX; i++) {
        if (entry->arg_bytes[i] == 0) {
            return false;
        }
    }
    return end == said;
}

static int read_params(const struct cubin *cubin, struct range info, struct gp_image_entry *entry)
{
    struct attribute attribute;
    uint32_t end = 0, said = 0;

    while (take_attribute(&info, &attribute)) {
        if (attribute.form == FORM_SIZED && attribute.code == CODE_PARAM &&
            attribute.value == 3 * sizeof(uint32_t)) {
            add_param(entry, attribute.bytes, &end);
        } else if (attribute.form == FORM_HALF && attribute.code == CODE_PARAMS_BYTES) {
            said = attribute.value;
        }
    }
    if (info.bytes > 0 || !are_params_whole(entry, end, said)) {
        return gp_fail(cubin->err, GP_EPARSE,
                       "the parameters of kernel '%.100s' are not described as is known here; "
                       "give its PTX (nvcc -ptx)",
                       entry->name);
    }
    return 0;
}

/* From the section .nv.info, which is of all kernels; 0: not said. */
static uint32_t find_registers(struct range info, uint32_t symbol)
{
    struct attribute attribute;

    while (take_attribute(&info, &attribute)) {
        if (attribute.form == FORM_SIZED && attribute.code == CODE_REGISTERS &&
            attribute.value == 2 * sizeof(uint32_t) && word_of(attribute.bytes, 0) == symbol) {
            return word_of(attribute.bytes, 1);
        }
    }
    return 0;
}

/* ---- kernels ------------------------------------------------------------------------------- */

static int read_info(const struct cubin *cubin, const struct range *strings, const char *name,
                     struct range *out)
{
    Elf64_Shdr section;

    *out = (struct range){cubin->file->bytes, 0};
    return find_section(cubin, strings, ".nv.info", name, &section)
               ? read_range(cubin, &section, out)
               : 0;
}

static int add_kernel(const struct cubin *cubin, const struct range *strings, const char *name,
                      uint32_t symbol)
{
    struct gp_image_entry *entry = gp_image_add(cubin->file, name, strlen(name), cubin->err);
    char dotted[GP_IMAGE_NAME_BYTES_MAX + 1] = ".";
    struct range of_all, own;
    Elf64_Shdr shared;
    int code;

    if (entry == NULL) {
        return cubin->err->code;
    }
    memcpy(dotted + 1, name, strlen(name) + 1);
    code = read_info(cubin, strings, "", &of_all);
    code = code == 0 ? read_info(cubin, strings, dotted, &own) : code;
    if (code != 0) {
        return code;
    }
    entry->registers = find_registers(of_all, symbol);
    if (find_section(cubin, strings, ".nv.shared", dotted, &shared)) {
        uint64_t reserved = cubin->file->sm >= 90 ? RESERVED_SHARED_BYTES : 0;

        entry->shared_bytes = shared.sh_size > reserved && shared.sh_size < 1u << 20
                                  ? (uint32_t)(shared.sh_size - reserved)
                                  : 0;
    }
    return read_params(cubin, own, entry);
}

static int read_symbols(const struct cubin *cubin, const struct range *section_names,
                        const Elf64_Shdr *table)
{
    struct range symbols, names;
    Elf64_Shdr strings;
    int code = read_range(cubin, table, &symbols);

    if (code != 0) {
        return code;
    }
    if (table->sh_link >= cubin->head.e_shnum) {
        return fail_cut(cubin, "the table of symbols' names");
    }
    strings = section_at(cubin, table->sh_link);
    code = read_range(cubin, &strings, &names);
    for (uint32_t i = 0; code == 0 && i < symbols.bytes / sizeof(Elf64_Sym); i++) {
        const char *name;
        Elf64_Sym symbol;

        memcpy(&symbol, symbols.at + i * sizeof symbol, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
            (symbol.st_other & SYMBOL_IS_KERNEL) == 0) {
            continue;
        }
        name = string_at(&names, symbol.st_name);
        code = name != NULL && name[0] != '\0' ? add_kernel(cubin, section_names, name, i)
                                               : fail_cut(cubin, "a kernel's name");
    }
    return code;
}

static int read_head(struct cubin *cubin)
{
    Elf64_Ehdr *head = &cubin->head;

    if (!lies_within(cubin, 0, sizeof *head)) {
        return fail_cut(cubin, "its head");
    }
    memcpy(head, cubin->file->bytes, sizeof *head);
    if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB ||
        head->e_machine != MACHINE_CUDA) {
        return gp_fail(cubin->err, GP_EPARSE,
                       "it is an ELF file, but no cubin: its machine is %u, a GPU's is %d",
                       (unsigned)head->e_machine, MACHINE_CUDA);
    }
    if (head->e_shentsize != sizeof(Elf64_Shdr) ||
        !lies_within(cubin, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr))) {
        return fail_cut(cubin, "the table of sections");
    }
    if (head->e_phnum > 0 &&
        (head->e_phentsize != sizeof(Elf64_Phdr) ||
         !lies_within(cubin, head->e_phoff, (uint64_t)head->e_phnum * sizeof(Elf64_Phdr)))) {
        return fail_cut(cubin, "the table of segments");
    }
    cubin->file->sm = head->e_ident[EI_ABIVERSION] >= ABI_SECOND_BYTE ? head->e_flags >> 8 & 0xff
                                                                      : head->e_flags & 0xff;
    return cubin->file->sm > 0
               ? 0
               : gp_fail(cubin->err, GP_EPARSE, "the cubin does not say what GPU it is for");
}

/* The driver would read them all, so that a cut one must not get that far. */
static int check_sections(const struct cubin *cubin)
{
    int code = 0;

    for (uint32_t i = 0; i < cubin->head.e_shnum && code == 0; i++) {
        Elf64_Shdr section = section_at(cubin, i);
        struct range range;

        code = read_range(cubin, &section, &range);
    }
    return code;
}

int gp_image_read_cubin(struct gp_image_file *file, struct gp_error *err)
{
    struct cubin cubin = {.file = file, .err = err};
    struct range names;
    int code = read_head(&cubin);

    code = code == 0 ? check_sections(&cubin) : code;
    code = code == 0 ? read_section_strings(&cubin, &names) : code;
    for (uint32_t i = 0; code == 0 && i < cubin.head.e_shnum; i++) {
        Elf64_Shdr section = section_at(&cubin, i);

        if (section.sh_type == SHT_SYMTAB) {
            code = read_symbols(&cubin, &names, &section);
        }
    }
    return code;
}
