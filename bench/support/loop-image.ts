import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A file system of our own, in a file, whose power can be cut: nothing that was not brought to the disk before the cut
 * is there after it. The cut is ext4's own shutdown without a flush (`EXT4_IOC_SHUTDOWN`, which file-system tests use for
 * the same purpose): from that instant on nothing more reaches the disk; mounting again replays the file system's journal.
 */

/** Why a power loss cannot be simulated here, or undefined when it can. */
export function whyNoPowerLoss(): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid?.() !== 0) return 'it needs root, to mount a loop device';
  const missing = ['mkfs.ext4', 'mount', 'umount', 'unshare', 'perl'].filter((name) => !canCall(name));
  if (missing.length > 0) return `it needs ${missing.join(', ')}`;
  try {
    const image = new LoopImage(16);
    image.remove();
    return undefined;
  } catch (error) {
    return `a loop device could not be mounted: ${(error as Error).message.split('\n')[0]}`;
  }
}

/** Why the control run without fsync cannot be done here, or undefined when it can. */
export function whyNoControl(): string | undefined {
  return canCall('gcc') ? undefined : 'it needs gcc, to build the library that switches fsync off';
}

function canCall(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' }).status === 0;
}

/** `EXT4_IOC_SHUTDOWN` is `_IOR('X', 125, __u32)`; 2 asks for a stop that flushes nothing, not even ext4's journal. */
const CUT_POWER = `sysopen(my $mount, $ARGV[0], 0) or die "open: $!"; my $flags = pack("L", 2);
ioctl($mount, 0x8004587d, $flags) or die "ioctl: $!";`;

/** As lazy as ext4 can be told to be: it brings nothing to the disk by itself within a run, only what was synced. */
const MOUNT_OPTIONS = 'loop,commit=300,noauto_da_alloc';

export class LoopImage {
  /** Where it is mounted. */
  readonly path: string;
  readonly #directory: string;
  readonly #image: string;
  #boots = 0;

  /** Makes and mounts an empty file system of `mebibytes`. Throws where that is not allowed. */
  constructor(mebibytes: number) {
    this.#directory = mkdtempSync(join(tmpdir(), 'gatehouse-loop-'));
    execFileSync('chmod', ['755', this.#directory]);
    this.#image = join(this.#directory, 'disk.img');
    this.path = join(this.#directory, 'mount');
    mkdirSync(this.path);
    try {
      run('truncate', '-s', `${mebibytes}M`, this.#image);
      run('mkfs.ext4', '-q', '-F', '-m', '0', this.#image);
      this.#mount();
    } catch (error) {
      rmSync(this.#directory, { recursive: true });
      throw error;
    }
  }

  #mount(): void {
    this.#boots++;
    run('mount', '-o', MOUNT_OPTIONS, this.#image, this.path);
  }

  /** Cuts the power. Everything on it fails until `restorePower`. */
  cutPower(): void {
    run('perl', '-e', CUT_POWER, this.path);
  }

  /** Brings everything to the disk. */
  sync(): void {
    run('sync', '-f', this.path);
  }

  /** Mounts what survived. Every process that used it must have ended. */
  restorePower(): void {
    run('umount', this.path);
    this.#mount();
  }

  /**
   * The words to run a command through, so that it sees a machine that was started anew after each cut: another boot id
   * than before (LMDB trusts what is in memory as long as the boot id is the same).
   */
  get freshBoot(): string[] {
    const bootId = join(this.#directory, `boot-id-${this.#boots}`);
    const id = `${this.#boots.toString(16).padStart(8, '0')}-c0de-4000-8000-${Date.now().toString(16).padStart(12, '0')}\n`;
    writeFileSync(bootId, id);
    const script = 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"';
    return ['unshare', '--mount', 'sh', '-c', script, bootId];
  }

  remove(): void {
    run('umount', this.path);
    rmSync(this.#directory, { recursive: true });
  }
}

/** Builds the library that switches fsync off in the process it is preloaded into, and returns its path. */
export function buildNoFsync(directory: string): string {
  const library = join(directory, 'no-fsync.so');
  const source = fileURLToPath(new URL('no-fsync.c', import.meta.url));
  run('gcc', '-shared', '-fPIC', '-O1', '-o', library, source, '-ldl');
  return library;
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
