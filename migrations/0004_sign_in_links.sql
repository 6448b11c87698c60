ALTER TABLE "magic_links" DROP CONSTRAINT "magic_links_purpose_known";--> statement-breakpoint
ALTER TABLE "magic_links" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "magic_links" ADD CONSTRAINT "magic_links_person" CHECK (("magic_links"."user_id" is null) = ("magic_links"."purpose" = 'first_owner'));--> statement-breakpoint
ALTER TABLE "magic_links" ADD CONSTRAINT "magic_links_purpose_known" CHECK ("magic_links"."purpose" in ('sign_in', 'invitation', 'first_owner', 'operator'));