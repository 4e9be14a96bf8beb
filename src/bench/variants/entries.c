/* SPDX-License-Identifier: MIT */
#include "src/bench/variants/entries.h"

#include "src/bench/baselines/baselines.h"
#include "src/lib/filter/registry.h"
#include "src/bench/core/results.h"
#include "src/text/string_list.h"

#include <string.h>

bool entry_at(int i, struct entry *entry)
{
    for (const struct registered *row = registry; row->stem; row++)
        if (i-- == 0) {
            *entry =
                (struct entry){registered_name(row), registered_op(row),
                               row->variant ? row->variant->backend : ON_GPU, row->variant, false};
            return true;
        }
    for (const struct baseline *baseline = baselines; baseline->variant; baseline++)
        if (i-- == 0) {
            const struct variant *variant = baseline->variant;

            *entry = (struct entry){variant->name, variant->op, variant->backend, variant, true};
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
    if (!entry->variant || (entry->baseline && options->no_peers))
        return false;
    return place_is_wanted(options, entry->place) &&
           (options->variant_count == 0 || entry_is_named(options, entry->name));
}

static bool has_op(const struct bench_options *options, enum op op)
{
    for (int i = 0; i < options->op_count; i++)
        if (options->ops[i] == (int)op)
            return true;
    return false;
}

/* The names of all rows of the wanted operations. */
static struct string_list names_of(const struct bench_options *options)
{
    struct string_list names = {0};
    struct entry entry;

    for (int i = 0; entry_at(i, &entry); i++)
        if (has_op(options, entry.op))
            string_list_add(&names, entry.name);
    return names;
}

static enum status check_name(const struct bench_options *options, const char *option,
                              const char *name, struct error *error)
{
    const struct string_list names = names_of(options);

    for (int i = 0; i < names.count; i++)
        if (strcmp(names.words[i], name) == 0)
            return STATUS_OK;
    return fail(error, STATUS_USAGE, "--%s %s: unknown row; use %s%s", option, name,
                string_list_join(&names, "or").text, string_list_nearest(&names, name).text);
}

/* Can an entry of that name run, for any of the operations? */
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
    return status;
}

void entries_print(FILE *stream)
{
    struct entry entry;

    fprintf(stream, "%-10s %-10s %-5s %s\n", "operation", "row", "place", "how");
    for (int i = 0; entry_at(i, &entry); i++)
        fprintf(stream, "%-10s %-10s %-5s %s\n", op_word(entry.op), entry.name,
                place_word(entry.place),
                entry.variant ? entry.variant->description : "(not in this build)");
}
