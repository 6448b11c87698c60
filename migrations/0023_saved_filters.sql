CREATE TABLE "saved_filters" (
	"tenant_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"name" text NOT NULL,
	"query" text NOT NULL,
	"saved_at" timestamp with time zone NOT NULL,
	CONSTRAINT "saved_filters_tenant_id_user_id_name_pk" PRIMARY KEY("tenant_id","user_id","name"),
	CONSTRAINT "saved_filters_bounded" CHECK (length("saved_filters"."name") between 1 and 200 and length("saved_filters"."query") <= 4000)
);
--> statement-breakpoint
ALTER TABLE "saved_filters" ADD CONSTRAINT "saved_filters_member_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."memberships"("tenant_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_filters" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "saved_filters" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY service ON "saved_filters" TO CURRENT_USER USING (true) WITH CHECK (true);--> statement-breakpoint
-- Of one person, in one tenant: not even another of its people sees them.
CREATE POLICY own ON "saved_filters" TO gatehouse_app
  USING (tenant_id = current_tenant() AND user_id = current_person())
  WITH CHECK (tenant_id = current_tenant() AND user_id = current_person());--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE (query, saved_at), DELETE ON "saved_filters" TO gatehouse_app;
