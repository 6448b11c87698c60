CREATE TABLE "releases" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tenant_id" uuid NOT NULL,
	"session_key" uuid NOT NULL,
	"subject" text NOT NULL,
	"reason" text NOT NULL,
	"hold" boolean NOT NULL,
	"taints" text[] NOT NULL,
	"released_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "releases" ADD CONSTRAINT "releases_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "releases_by_session" ON "releases" USING btree ("tenant_id","session_key","id");--> statement-breakpoint
ALTER TABLE "releases" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "releases" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY service ON "releases" TO CURRENT_USER USING (true) WITH CHECK (true);--> statement-breakpoint
CREATE POLICY tenant ON "releases" TO gatehouse_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());--> statement-breakpoint
GRANT SELECT ON "releases" TO gatehouse_app;
