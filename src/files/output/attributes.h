/* SPDX-License-Identifier: MIT */
/* The ACL and the extended attributes of a file that is replaced. */
#ifndef SMOOTHIMG_ATTRIBUTES_H
#define SMOOTHIMG_ATTRIBUTES_H

/* Gives the new file, open as fd, the POSIX ACL of the old one at this path and its user attributes
 * (user.*). Removes an ACL that the new file has inherited from its folder. Does nothing if the old
 * file, or its file system, has none. Returns 0 or an errno. Call it before the new file's
 * permission bits are set, while they allow nothing to others. Of a file with an ACL the group's
 * bits are the ACL's mask: the most that it allows to any listed user or group. On a file without
 * an ACL the same bits would give all of that to the group. */
int attributes_keep(const char *path, int fd);

#endif
