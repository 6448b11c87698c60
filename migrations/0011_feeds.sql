CREATE TABLE "feed_batches" (
	"tenant_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"stored_at" timestamp with time zone DEFAULT now() NOT NULL,
	"events" uuid[] NOT NULL,
	"decisions" uuid[] NOT NULL,
	"sessions" uuid[] NOT NULL,
	CONSTRAINT "feed_batches_tenant_id_seq_pk" PRIMARY KEY("tenant_id","seq")
);
--> statement-breakpoint
CREATE TABLE "feed_heads" (
	"tenant_id" uuid PRIMARY KEY NOT NULL,
	"seq" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "feed_batches" ADD CONSTRAINT "feed_batches_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feed_heads" ADD CONSTRAINT "feed_heads_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "feed_batches_by_time" ON "feed_batches" USING btree ("stored_at");--> statement-breakpoint
ALTER TABLE "feed_heads" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "feed_heads" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY service ON "feed_heads" TO CURRENT_USER USING (true) WITH CHECK (true);--> statement-breakpoint
CREATE POLICY tenant ON "feed_heads" TO gatehouse_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());--> statement-breakpoint
GRANT SELECT ON "feed_heads" TO gatehouse_app;--> statement-breakpoint
ALTER TABLE "feed_batches" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "feed_batches" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY service ON "feed_batches" TO CURRENT_USER USING (true) WITH CHECK (true);--> statement-breakpoint
CREATE POLICY tenant ON "feed_batches" TO gatehouse_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());--> statement-breakpoint
GRANT SELECT ON "feed_batches" TO gatehouse_app;
