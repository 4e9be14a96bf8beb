/* SPDX-License-Identifier: MIT */
/* What a file has beside its bytes, owner and permission bits. */
#ifndef SMOOTHIMG_ATTRIBUTES_H
#define SMOOTHIMG_ATTRIBUTES_H

/* Gives the new file, open as fd, the POSIX ACL of the old one at this path, and its extended
 * attributes of users (user.*). Removes an ACL that the new file has from its folder. Where the old
 * file or its file system has none, nothing is to be kept. Returns 0 or an errno.
 *
 * To be called while the permission bits of the new file allow nothing to others, and before they
 * are set: the bits of the group are the ACL's mask, so that without the ACL they would give the
 * group the rights of everybody in it. */
int attributes_keep(const char *path, int fd);

#endif
