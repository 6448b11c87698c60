import { statfsSync } from 'node:fs';

/** How long a look at the disk is believed. */
const DISK_LOOK_MS = 10;

/** The room on the disk that a directory is on. */
export class Disk {
  readonly #path: string;
  #freeBytes = Number.POSITIVE_INFINITY;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(path: string) {
    this.#path = path;
  }

  get freeBytes(): number {
    const nowMs = performance.now();
    if (nowMs - this.#lookedAtMs >= DISK_LOOK_MS) {
      this.#lookedAtMs = nowMs;
      this.#freeBytes = this.#look();
    }
    return this.#freeBytes;
  }

  /** Without a bound where the file system does not tell. */
  #look(): number {
    try {
      const { bavail, bsize, blocks } = statfsSync(this.#path);
      return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
    } catch {
      return Number.POSITIVE_INFINITY;
    }
  }
}
