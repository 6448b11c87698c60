ALTER TABLE "decisions" ADD COLUMN "shadow_set" text;--> statement-breakpoint
ALTER TABLE "decisions" ADD COLUMN "shadow_action" text;--> statement-breakpoint
ALTER TABLE "decisions" ADD COLUMN "simulated_action" text;--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "policy_set" text;--> statement-breakpoint
CREATE INDEX "decisions_by_shadow" ON "decisions" USING btree ("tenant_id","shadow_set","id") WHERE shadow_action <> action;--> statement-breakpoint
CREATE INDEX "decisions_simulated" ON "decisions" USING btree ("tenant_id","id") WHERE simulated_action is not null;