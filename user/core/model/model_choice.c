/* SPDX-License-Identifier: Apache-2.0 */
/* The words of choices. */
#include "model.h"

#define WORD(words, value) ((size_t)(value) < sizeof(words) / sizeof((words)[0]) ? (words)[value] : "?")

const char *admin_name(enum admin_state state)
{
	static const char *const words[] = {"active", "draining", "disabled"};

	return WORD(words, state);
}

const char *health_name(enum health_state state)
{
	static const char *const words[] = {"unknown", "up", "down"};

	return WORD(words, state);
}

const char *encap_name(uint8_t encap)
{
	static const char *const words[] = {"ipip", "gue", "gre", "l2"};

	return WORD(words, encap);
}

const char *hash_name(uint8_t hash)
{
	static const char *const words[] = {"5tuple", "source"};

	return WORD(words, hash);
}

const char *track_name(uint8_t track)
{
	static const char *const words[] = {"auto", "always", "never"};

	return WORD(words, track);
}

const char *mode_name(enum interface_mode mode)
{
	static const char *const words[] = {"auto", "native", "generic"};

	return WORD(words, mode);
}
