ALTER TABLE "login_sessions" ADD COLUMN "address" text;--> statement-breakpoint
ALTER TABLE "login_sessions" ADD COLUMN "browser" text;