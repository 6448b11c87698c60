ALTER TABLE "quarantine" DROP CONSTRAINT "quarantine_once";--> statement-breakpoint
ALTER TABLE "quarantine" ALTER COLUMN "tenant_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "projector_positions" ADD COLUMN "mark" text;--> statement-breakpoint
ALTER TABLE "quarantine" ADD CONSTRAINT "quarantine_once" UNIQUE("journal_id","seq","event_id");