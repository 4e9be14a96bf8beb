// SPDX-License-Identifier: MIT
// Finds __shared__ arrays in the running program's symbol table. If the kernel's symbol is
// _Z6kernelPf, the symbol of its static array `tile` is _ZZ6kernelPfE4tileB6shared. The same holds
// in templates and anonymous namespaces. A stripped program has no symbol table. In such a program,
// static shared memory is neither poisoned nor checked for its size.
#include "src/emulator/exec/asan.h"
#include "src/emulator/machine.h"

#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <map>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace emulated
{

struct symbol_table {
    const Elf64_Sym *symbols = nullptr;
    std::size_t count = 0;
    const char *names = nullptr;
    uintptr_t base = 0; // the load address
};

// Computes the load address as the program headers' address in memory minus their address in the
// file.
uintptr_t load_address()
{
    const Elf64_Phdr *header = (const Elf64_Phdr *)getauxval(AT_PHDR);

    for (unsigned long i = 0; i < getauxval(AT_PHNUM); i++)
        if (header[i].p_type == PT_PHDR)
            return (uintptr_t)header - header[i].p_vaddr;
    return 0;
}

static symbol_table read_symbols()
{
    const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat status;
    symbol_table table;

    if (file < 0 || fstat(file, &status) != 0)
        return table;
    const char *image =
        (const char *)mmap(nullptr, (std::size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (image == MAP_FAILED)
        return table;
    const Elf64_Ehdr *elf = (const Elf64_Ehdr *)image;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + elf->e_shoff);

    for (int i = 0; i < elf->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB) {
            table.symbols = (const Elf64_Sym *)(image + sections[i].sh_offset);
            table.count = sections[i].sh_size / sizeof(Elf64_Sym);
            table.names = image + sections[sections[i].sh_link].sh_offset;
        }
    table.base = load_address();
    return table;
}

static const symbol_table &symbols()
{
    static const symbol_table table = read_symbols();

    return table;
}

static std::vector<range> objects(const std::string &prefix)
{
    const symbol_table &table = symbols();
    std::vector<range> found;

    for (std::size_t i = 0; i < table.count; i++) {
        const Elf64_Sym &symbol = table.symbols[i];
        const char *name = table.names + symbol.st_name;

        if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && strstr(name, "B6shared") != nullptr &&
            strncmp(name, prefix.c_str(), prefix.size()) == 0)
            found.push_back(
                {(char *)(table.base + symbol.st_value),
                 bytes_of_global((char *)(table.base + symbol.st_value), symbol.st_size)});
    }
    return found;
}

static std::string name_of(const void *function)
{
    const symbol_table &table = symbols();

    for (std::size_t i = 0; i < table.count; i++)
        if (table.base + table.symbols[i].st_value == (uintptr_t)function &&
            ELF64_ST_TYPE(table.symbols[i].st_info) == STT_FUNC)
            return table.names + table.symbols[i].st_name;
    return "";
}

const std::vector<range> &shared_arrays(const void *kernel)
{
    static std::map<const void *, std::vector<range>> &known =
        *new std::map<const void *, std::vector<range>>;

    if (!known.contains(kernel)) {
        const std::string name = name_of(kernel);

        known[kernel] = kernel == nullptr ? objects("_ZZ")
                        : name.size() > 2 ? objects("_ZZ" + name.substr(2) + "E")
                                          : std::vector<range>();
    }
    return known[kernel];
}

} // namespace emulated
