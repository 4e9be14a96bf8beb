/* SPDX-License-Identifier: MIT */
#include "src/files/codec/png/deflate/huffman.h"

#include <string.h>

#define DIGITS 256 /* of a count, in sorting */

/* A symbol that occurs, or a node above two of them. */
struct node {
    uint32_t count;
    uint16_t symbol; /* of a leaf */
    uint16_t parent;
};

struct tree {
    struct node nodes[2 * HUFFMAN_MAX_SYMBOLS]; /* the leaves by count, then those above them */
    int leaves;
};

/* Sorts the leaves by one digit of their counts; equal ones keep their order. */
static void sort_by_digit(struct tree *tree, int shift)
{
    struct node sorted[HUFFMAN_MAX_SYMBOLS];
    int begins[DIGITS + 1] = {0};

    for (int i = 0; i < tree->leaves; i++)
        begins[(tree->nodes[i].count >> shift) % DIGITS + 1]++;
    for (int digit = 0; digit < DIGITS; digit++)
        begins[digit + 1] += begins[digit];
    for (int i = 0; i < tree->leaves; i++)
        sorted[begins[(tree->nodes[i].count >> shift) % DIGITS]++] = tree->nodes[i];
    memcpy(tree->nodes, sorted, (size_t)tree->leaves * sizeof *sorted);
}

static void plant(struct tree *tree, const uint32_t *counts, int symbols)
{
    tree->leaves = 0;
    for (int i = 0; i < symbols; i++)
        if (counts[i] > 0)
            tree->nodes[tree->leaves++] = (struct node){.count = counts[i], .symbol = (uint16_t)i};
    for (int i = 0; tree->leaves < 2; i++)
        if (counts[i] == 0)
            tree->nodes[tree->leaves++] = (struct node){.count = 1, .symbol = (uint16_t)i};
    sort_by_digit(tree, 0);
    sort_by_digit(tree, 8);
}

/* The rarer of the next leaf and the next node above leaves. The nodes are made in the order of
 * their counts, so both are queues. */
static struct node *rarest(struct tree *tree, int *leaf, int *above, int end)
{
    if (*leaf < tree->leaves &&
        (*above == end || tree->nodes[*leaf].count <= tree->nodes[*above].count))
        return &tree->nodes[(*leaf)++];
    return &tree->nodes[(*above)++];
}

/* Makes the nodes above the leaves, the two rarest at a time. Returns the root. */
static int grow(struct tree *tree)
{
    int leaf = 0, above = tree->leaves, end = tree->leaves;

    for (; end < 2 * tree->leaves - 1; end++) {
        struct node *first = rarest(tree, &leaf, &above, end);
        struct node *second = rarest(tree, &leaf, &above, end);

        tree->nodes[end].count = first->count + second->count;
        first->parent = second->parent = (uint16_t)end;
    }
    return end - 1;
}

/* Counts the leaves at each depth, those below `longest` as if they were there. */
static void count_depths(const struct tree *tree, int root, int longest, int *depths)
{
    uint16_t depth[2 * HUFFMAN_MAX_SYMBOLS];

    depth[root] = 0;
    for (int i = root - 1; i >= 0; i--) {
        depth[i] = (uint16_t)(depth[tree->nodes[i].parent] + 1);
        if (i < tree->leaves)
            depths[depth[i] < longest ? depth[i] : longest]++;
    }
}

/* Leaves that were moved up have made the code too full: each step moves a leaf from the lowest
 * depth above `longest` down by one, where another from `longest` joins it. */
static void thin_out(int longest, int *depths)
{
    uint32_t used = 0;

    for (int depth = 1; depth <= longest; depth++)
        used += (uint32_t)depths[depth] << (longest - depth);
    for (; used > 1u << longest; used--) {
        int depth = longest - 1;

        while (depths[depth] == 0)
            depth--;
        depths[depth]--;
        depths[depth + 1] += 2;
        depths[longest]--;
    }
}

void huffman_lengths(const uint32_t *counts, int symbols, int longest, uint8_t *lengths)
{
    struct tree tree;
    int depths[HUFFMAN_MAX_LENGTH + 1] = {0}, leaf = 0;

    plant(&tree, counts, symbols);
    count_depths(&tree, grow(&tree), longest, depths);
    thin_out(longest, depths);
    memset(lengths, 0, (size_t)symbols);
    for (int depth = longest; depth > 0; depth--)
        for (int i = 0; i < depths[depth]; i++)
            lengths[tree.nodes[leaf++].symbol] = (uint8_t)depth;
}

static uint16_t reversed(uint32_t code, int length)
{
    uint32_t bits = 0;

    for (int i = 0; i < length; i++)
        bits |= (code >> i & 1) << (length - 1 - i);
    return (uint16_t)bits;
}

void huffman_codes(const uint8_t *lengths, int symbols, uint16_t *codes)
{
    uint32_t counts[HUFFMAN_MAX_LENGTH + 1] = {0}, next[HUFFMAN_MAX_LENGTH + 1] = {0};

    for (int i = 0; i < symbols; i++)
        counts[lengths[i]]++;
    counts[0] = 0;
    for (int length = 1; length <= HUFFMAN_MAX_LENGTH; length++)
        next[length] = (next[length - 1] + counts[length - 1]) << 1;
    for (int i = 0; i < symbols; i++)
        codes[i] = reversed(next[lengths[i]]++, lengths[i]);
}
