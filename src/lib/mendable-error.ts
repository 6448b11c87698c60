/** Something that whoever runs this can mend: the message says what, and no stack is shown. */
export class MendableError extends Error {}
