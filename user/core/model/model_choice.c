/* SPDX-License-Identifier: Apache-2.0 */
/* The words of choices. */
#include "model.h"

const char *const admin_words[] = {"active", "draining", "disabled", NULL};
const char *const encap_words[] = {"ipip", "gue", "gre", "l2", NULL};
const char *const hash_words[] = {"5tuple", "source", NULL};
const char *const track_words[] = {"auto", "always", "never", NULL};
const char *const mode_words[] = {"auto", "native", "generic", NULL};
static const char *const health_words[] = {"unknown", "up", "down", NULL};

static const char *word_of(const char *const *words, unsigned int value)
{
	for (; *words; words++)
		if (!value--)
			return *words;
	return "?";
}

const char *admin_name(enum admin_state state)
{
	return word_of(admin_words, state);
}

const char *health_name(enum health_state state)
{
	return word_of(health_words, state);
}

enum health_state health_stated(enum health_rule rule)
{
	static const enum health_state states[] = {[HEALTH_AUTO] = HEALTH_UNKNOWN,
						   [HEALTH_FORCED_UP] = HEALTH_UP,
						   [HEALTH_FORCED_DOWN] = HEALTH_DOWN};

	return states[rule];
}

const char *encap_name(uint8_t encap)
{
	return word_of(encap_words, encap);
}

const char *hash_name(uint8_t hash)
{
	return word_of(hash_words, hash);
}

const char *track_name(uint8_t track)
{
	return word_of(track_words, track);
}

const char *mode_name(enum interface_mode mode)
{
	return word_of(mode_words, mode);
}
