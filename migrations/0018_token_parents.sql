ALTER TABLE "access_tokens" ADD COLUMN "parent_id" text;--> statement-breakpoint
CREATE INDEX "access_tokens_by_parent" ON "access_tokens" USING btree ("parent_id");