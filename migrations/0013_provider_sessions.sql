ALTER TABLE "login_sessions" ADD COLUMN "subject_mark" "bytea";--> statement-breakpoint
ALTER TABLE "login_sessions" ADD COLUMN "session_mark" "bytea";--> statement-breakpoint
CREATE INDEX "login_sessions_by_provider" ON "login_sessions" USING btree ("connection_id","subject_mark");