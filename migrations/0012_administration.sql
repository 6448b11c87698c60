ALTER TABLE "login_sessions" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "login_sessions" ADD COLUMN "browser" text;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "deadline_ms" integer;--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "retention_days" integer;--> statement-breakpoint
ALTER TABLE "tenants" ADD CONSTRAINT "tenants_deadline_bound" CHECK ("tenants"."deadline_ms" between 50 and 60000);--> statement-breakpoint
ALTER TABLE "tenants" ADD CONSTRAINT "tenants_retention_bound" CHECK ("tenants"."retention_days" between 1 and 3650);
--> statement-breakpoint
GRANT UPDATE (deadline_ms, retention_days) ON "tenants" TO gatehouse_app;
