/* SPDX-License-Identifier: Apache-2.0 */
#include "told.h"

#include "core/view/view.h"

static void a_pool_is_told_whole(void **state)
{
	struct model *model = small_model(2);
	struct pool_image image = {
		.name = "db", .table.size = 256, .moving = 64, .settles = 110, .digest = 0xc41f09ab12345678};
	struct pool_state pool = {.model = model,
				  .pool = &model->pools[0],
				  .image = &image,
				  .up = 1,
				  .remembered = 5,
				  .opened = {.flows = 4, .seen = true},
				  .now = 100};
	json_t *view;

	(void)state;
	view = pool_view(&pool);
	json_object_del(view, "source");
	assert_told(view, "{'name':'db','scheme':'maglev','options':{},'table_size':251,'seed':null,"
			  "'hash':'5tuple','encap':'ipip','grace':{'tcp':10,'udp':0},"
			  "'services':['tcp 203.0.113.10:5432'],'backends':2,'up':1,'moving':64,"
			  "'settles_in':10,'remembered':5,'demand':15,"
			  "'digests':{'table':'c41f09ab12345678','history':'0000000000000000'}}");
	pool.opened.unseen = true;
	view = pool_view(&pool);
	assert_true(json_is_null(json_object_get(view, "demand")));
	json_decref(view);
	pool.image = NULL;
	view = pool_view(&pool);
	assert_told(json_incref(json_object_get(view, "demand")), "0");
	assert_true(json_is_null(json_object_get(view, "settles_in")));
	json_decref(view);
	model_free(model);
}

static void a_line_of_the_status_knows_what_its_image_knows(void **state)
{
	struct pool_image image = {.name = "db", .moving = 3, .settles = 90, .digest = 0xc41f09ab12345678};

	(void)state;
	assert_told(pool_line_view("db", "ring", 1021, &image, 100),
		    "{'name':'db','scheme':'ring','slots':1021,'moving':3,'settles_in':0,"
		    "'table':'c41f09ab','history':'00000000'}");
	assert_told(pool_line_view("db", "ring", 1021, NULL, 100),
		    "{'name':'db','scheme':'ring','slots':1021,'moving':0,'settles_in':null,"
		    "'table':'00000000','history':'00000000'}");
	/* Read back from the maps. */
	image = (struct pool_image){.moving = 3};
	assert_told(pool_line_view("#1", NULL, 1021, &image, 0),
		    "{'name':'#1','scheme':null,'slots':1021,'moving':3,'settles_in':null,'table':null,"
		    "'history':null}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_is_told_whole),
		cmocka_unit_test(a_line_of_the_status_knows_what_its_image_knows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
