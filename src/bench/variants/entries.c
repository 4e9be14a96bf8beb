/* SPDX-License-Identifier: MIT */
#include "src/bench/variants/entries.h"

#include "src/bench/baselines/library.h"
#include "src/lib/filter/registry.h"
#include "src/bench/core/results.h"
#include "src/text/string_list.h"

#include <string.h>

static struct entry entry_of(const struct variant *variant, enum entry_kind kind)
{
    return (struct entry){variant->name,      variant->op, variant->backend,
                          variant->count > 0, *variant,    kind};
}

/* The registry is the list of all variants. Each of its rows has these entries: number 0 is the
 * variant; if the variant has several engines (implementations), numbers 1, 2, ... are the engines.
 * Sets *entry to entry number *i of the row `variant`. If the row has no such entry, subtracts the
 * number of its entries from *i, and returns false. */
static bool entry_of_row(const struct variant *variant, int *i, struct entry *entry)
{
    if ((*i)-- == 0) {
        *entry = entry_of(variant, ENTRY_VARIANT);
        return true;
    }
    for (int e = 0; variant->count > 1 && e < variant->count; e++)
        if ((*i)-- == 0) {
            const struct variant engine = variant_of_engine(variant, &variant->engines[e]);

            *entry = entry_of(&engine, ENTRY_ENGINE);
            return true;
        }
    return false;
}

bool entry_at(int i, struct entry *entry)
{
    for (const struct variant *const *row = registry; *row; row++)
        if (entry_of_row(*row, &i, entry))
            return true;
    for (const struct variant *const *variant = library_rows; *variant; variant++)
        if (i-- == 0) {
            *entry = entry_of(*variant, ENTRY_LIBRARY);
            return true;
        }
    return false;
}

bool entry_is_named(const struct bench_options *options, const char *name)
{
    for (int i = 0; i < options->variant_count; i++)
        if (strcmp(options->variants[i], name) == 0)
            return true;
    return false;
}

bool entry_is_wanted(const struct bench_options *options, const struct entry *entry)
{
    const bool by_itself = options->variant_count == 0 && entry->kind != ENTRY_ENGINE;

    return entry->present && place_is_wanted(options, entry->place) &&
           (by_itself || entry_is_named(options, entry->name));
}

static bool has_op(const struct bench_options *options, enum op op)
{
    for (int i = 0; i < options->op_count; i++)
        if (options->ops[i] == (int)op)
            return true;
    return false;
}

/* Returns true if an entry of the selected operations has that name. Adds the names of all entries
 * of these operations to *names, except those of engines. */
static bool is_row(const struct bench_options *options, const char *name, struct string_list *names)
{
    struct entry entry;
    bool known = false;

    for (int i = 0; entry_at(i, &entry); i++)
        if (has_op(options, entry.op)) {
            known |= strcmp(entry.name, name) == 0;
            if (entry.kind != ENTRY_ENGINE)
                string_list_add(names, entry.name);
        }
    return known;
}

static enum status check_name(const struct bench_options *options, const char *option,
                              const char *name, struct error *error)
{
    struct string_list names = {0};

    if (is_row(options, name, &names))
        return STATUS_OK;
    return fail(error, STATUS_USAGE, "--%s '%s': unknown row; use %s%s", option, name,
                string_list_join(&names, "or").text, string_list_nearest(&names, name).text);
}

/* Checks that one of the entries that are named `name` and compute a selected operation can run on
 * this machine. */
static enum status check_device(const struct bench_options *options, const struct machine *machine,
                                const char *name, struct error *error)
{
    struct entry entry;

    for (int i = 0; entry_at(i, &entry); i++)
        if (strcmp(entry.name, name) == 0 && has_op(options, entry.op) &&
            (entry.place == ON_CPU || machine->has_gpu))
            return STATUS_OK;
    return fail(error, STATUS_DEVICE, "--variant %s: %s", name, machine->no_gpu);
}

static bool any_is_wanted(const struct bench_options *options)
{
    struct entry entry;

    for (int i = 0; entry_at(i, &entry); i++)
        if (has_op(options, entry.op) && entry_is_wanted(options, &entry))
            return true;
    return false;
}

enum status entries_check(const struct bench_options *options, const struct machine *machine,
                          struct error *error)
{
    enum status status = check_name(options, "against", options->against, error);

    for (int i = 0; i < options->variant_count && status == STATUS_OK; i++) {
        status = check_name(options, "variant", options->variants[i], error);
        if (status == STATUS_OK)
            status = check_device(options, machine, options->variants[i], error);
    }
    if (status == STATUS_OK && options->where == GPU_ONLY && !machine->has_gpu)
        status = fail(error, STATUS_DEVICE, "--place gpu: %s", machine->no_gpu);
    if (status == STATUS_OK && options->variant_count > 0 && !any_is_wanted(options))
        status = fail(error, STATUS_USAGE, "--variant %s: no such row is left by --op and --place",
                      options->variants[0]);
    return status;
}

void entries_print(FILE *stream)
{
    struct entry entry;

    fprintf(stream, "%-9s %-13s %-5s %s\n", "operation", "row", "place", "how");
    for (int i = 0; entry_at(i, &entry); i++) {
        if (entry.kind == ENTRY_ENGINE)
            continue;
        fprintf(stream, "%-9s %-13s %-5s %s\n", op_words[entry.op], entry.name,
                place_word(entry.place),
                entry.present ? entry.variant.description
                              : "(not in this build) --sectors counts what it moves");
    }
}
