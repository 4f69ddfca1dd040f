/* SPDX-License-Identifier: Apache-2.0 */
/* What the C library does not tell sparse: which of its functions turn host order into network order, a type.
 */
#include <arpa/inet.h>
#include <linux/types.h>

#undef htons
#undef htonl
#undef ntohs
#undef ntohl
#define htons(x) ((__attribute__((force)) __be16)(__u16)(x))
#define htonl(x) ((__attribute__((force)) __be32)(__u32)(x))
#define ntohs(x) ((__u16)(__attribute__((force)) __u16)(__be16)(x))
#define ntohl(x) ((__u32)(__attribute__((force)) __u32)(__be32)(x))
