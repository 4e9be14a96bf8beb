/* SPDX-License-Identifier: MIT */
/* The ACL and the extended attributes of a file that is replaced. */
#ifndef SMOOTHIMG_ATTRIBUTES_H
#define SMOOTHIMG_ATTRIBUTES_H

/* Gives the new file, open as fd, the POSIX ACL and the user attributes (user.*) of the old file at
 * `path`, if the old file has any. First removes an ACL that the new file has inherited from its
 * folder. Returns 0 or an errno.
 *
 * Call it before the new file's permission bits are set, while they allow nothing to others. In a
 * file with an ACL the group's permission bits are the ACL's mask: the upper limit of what the ACL
 * allows to listed users and groups. If the ACL were added later, the same bits would meanwhile
 * allow to the whole group what the ACL allows only to listed users. */
int attributes_keep(const char *path, int fd);

#endif
