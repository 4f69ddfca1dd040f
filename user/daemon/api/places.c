/* SPDX-License-Identifier: Apache-2.0 */
#include "places.h"

#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct holder {
	struct holder *next;
	struct places *places;
	uid_t user;
	unsigned int held;
	char name[64]; /* empty: not looked up yet */
};

struct places {
	unsigned int total, taken, of_others; /* of_others: held by others than root */
	struct holder *holders;
};

struct places *places_new(unsigned int total)
{
	struct places *places = calloc(1, sizeof *places);

	if (places)
		places->total = total;
	return places;
}

void places_free(struct places *places)
{
	free(places);
}

static struct holder *holder_of(struct places *places, uid_t user)
{
	struct holder *holder = places->holders;

	while (holder && holder->user != user)
		holder = holder->next;
	if (holder)
		return holder;
	holder = calloc(1, sizeof *holder);
	if (!holder)
		return NULL;
	*holder = (struct holder){.next = places->holders, .places = places, .user = user};
	places->holders = holder;
	return holder;
}

static void holder_forget(struct holder *holder)
{
	struct holder **at = &holder->places->holders;

	while (*at != holder)
		at = &(*at)->next;
	*at = holder->next;
	free(holder);
}

static int refuse_place(struct holder *holder, struct refusal *refusal)
{
	const struct places *places = holder->places;
	unsigned int of_one = places->total / 4, of_others = places->total - places->total / 16;

	if (holder->user && holder->held >= of_one) {
		refuse(refusal, -EUSERS,
		       "%s has %u connections to the API already, as many as one user may have",
		       holder_name(holder), holder->held);
		refusal_right(refusal, "end some of them (ss -xp shows them), or run it as root");
		return -EUSERS;
	}
	if (places->taken >= places->total)
		refuse(refusal, -ENOSPC, "all %u connections to the API are taken", places->total);
	else if (holder->user && places->of_others >= of_others)
		refuse(refusal, -ENOSPC, "all %u connections to the API that are not kept for root are taken",
		       of_others);
	else
		return 0;
	refusal_right(refusal, "try again later; ss -xp shows who has them");
	return -ENOSPC;
}

int place_take(struct places *places, uid_t user, struct holder **ret, struct refusal *refusal)
{
	struct holder *holder = holder_of(places, user);
	int error;

	if (!holder)
		return refuse(refusal, -ENOMEM, "there is no memory for another connection");
	error = refuse_place(holder, refusal);
	if (error) {
		if (!holder->held)
			holder_forget(holder);
		return error;
	}
	holder->held++;
	places->taken++;
	places->of_others += user != 0;
	*ret = holder;
	return 0;
}

void place_give_back(struct holder *holder)
{
	if (!holder)
		return;
	holder->places->taken--;
	holder->places->of_others -= holder->user != 0;
	if (!--holder->held)
		holder_forget(holder);
}

uid_t holder_user(const struct holder *holder)
{
	return holder->user;
}

/* A directory of users may hold any text. */
static bool name_is_plain(const char *name)
{
	return *name &&
	       !name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-$@")];
}

/* Looked up only where it is shown: the user database may be slow to answer. */
const char *holder_name(struct holder *holder)
{
	struct passwd *user = holder->name[0] ? NULL : getpwuid(holder->user);

	if (user && name_is_plain(user->pw_name))
		snprintf(holder->name, sizeof holder->name, "%s", user->pw_name);
	else if (!holder->name[0])
		snprintf(holder->name, sizeof holder->name, "user %u", holder->user);
	return holder->name;
}
