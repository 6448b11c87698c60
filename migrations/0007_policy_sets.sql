CREATE TABLE "policy_activations" (
	"tenant_id" uuid NOT NULL,
	"seq" bigint NOT NULL,
	"active_version" integer,
	"shadow_version" integer,
	"changed_by" text NOT NULL,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "policy_activations_tenant_id_seq_pk" PRIMARY KEY("tenant_id","seq")
);
--> statement-breakpoint
CREATE TABLE "policy_sets" (
	"tenant_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"hash" text NOT NULL,
	"files" text NOT NULL,
	"note" text NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "policy_sets_tenant_id_version_pk" PRIMARY KEY("tenant_id","version")
);
--> statement-breakpoint
ALTER TABLE "policy_activations" ADD CONSTRAINT "policy_activations_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "policy_activations" ADD CONSTRAINT "policy_activations_active_fk" FOREIGN KEY ("tenant_id","active_version") REFERENCES "public"."policy_sets"("tenant_id","version") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "policy_activations" ADD CONSTRAINT "policy_activations_shadow_fk" FOREIGN KEY ("tenant_id","shadow_version") REFERENCES "public"."policy_sets"("tenant_id","version") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "policy_sets" ADD CONSTRAINT "policy_sets_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "policy_sets_by_hash" ON "policy_sets" USING btree ("tenant_id","hash");--> statement-breakpoint
ALTER TABLE "policy_sets" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "policy_sets" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY service ON "policy_sets" TO CURRENT_USER USING (true) WITH CHECK (true);--> statement-breakpoint
CREATE POLICY tenant ON "policy_sets" TO gatehouse_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());--> statement-breakpoint
GRANT SELECT, INSERT ON "policy_sets" TO gatehouse_app;--> statement-breakpoint
ALTER TABLE "policy_activations" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "policy_activations" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY service ON "policy_activations" TO CURRENT_USER USING (true) WITH CHECK (true);--> statement-breakpoint
CREATE POLICY tenant ON "policy_activations" TO gatehouse_app USING (tenant_id = current_tenant()) WITH CHECK (tenant_id = current_tenant());--> statement-breakpoint
GRANT SELECT, INSERT ON "policy_activations" TO gatehouse_app;
