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
CREATE INDEX "releases_by_session" ON "releases" USING btree ("tenant_id","session_key","id");