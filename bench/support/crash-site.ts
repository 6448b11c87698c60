import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { freshDataDir, killProcessesIn, Service } from '../../test/support/service.ts';
import { buildNoFsync, LoopImage } from './loop-image.ts';

/** Where a service runs, crashes, and starts again on what is left. */
export interface CrashSite {
  /** The service on what the last crash left, not started yet. */
  boot(): Service;
  /** Ends `service` the hard way, at this moment. */
  crash(service: Service): Promise<void>;
  remove(): Promise<void>;
}

/** The end of the process: `kill -9`. What the kernel had taken over survives, and so does the embedded PostgreSQL. */
export class KillSite implements CrashSite {
  readonly #service: Service;

  constructor(env: Record<string, string> = {}) {
    this.#service = new Service({ env });
  }

  boot(): Service {
    return this.#service;
  }

  crash(service: Service): Promise<void> {
    return service.kill9();
  }

  remove(): Promise<void> {
    return this.#service.dispose();
  }
}

const IMAGE_MEBIBYTES = 2048;

/** The end of the machine: only what was brought to the disk survives. The whole data directory is on that disk. */
export class PowerLossSite implements CrashSite {
  readonly #image = new LoopImage(IMAGE_MEBIBYTES);
  readonly #scratch = freshDataDir();
  readonly #service: Service;
  #preload: string[] = [];

  constructor(env: Record<string, string> = {}) {
    this.#service = new Service({
      dataDir: join(this.#image.path, 'data'),
      env,
      through: () => [...this.#image.freshBoot, ...this.#preload],
    });
  }

  /**
   * From now on the service believes that it syncs, and does not: the control that must lose events. What it made so
   * far (keys, an empty database) is safe.
   */
  async switchFsyncOff(): Promise<void> {
    await this.#service.start();
    await this.#service.stop();
    this.#image.sync();
    this.#preload = ['env', `LD_PRELOAD=${buildNoFsync(this.#scratch)}`];
  }

  boot(): Service {
    return this.#service;
  }

  async crash(service: Service): Promise<void> {
    // Stopped first, so that no acknowledgement leaves after the instant of the cut.
    process.kill(service.pid, 'SIGSTOP');
    this.#image.cutPower();
    await service.kill9();
    await this.#endProcesses();
    this.#image.restorePower();
  }

  async remove(): Promise<void> {
    await this.#service.dispose();
    await this.#endProcesses();
    this.#image.remove();
    rmSync(this.#scratch, { recursive: true });
  }

  /** Ends what still runs there (PostgreSQL), and waits until nothing does. */
  async #endProcesses(): Promise<void> {
    while (killProcessesIn(this.#image.path) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
