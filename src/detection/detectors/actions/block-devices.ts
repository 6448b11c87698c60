import type { CanonicalPath } from '../../facts/paths.ts';

const BLOCK_DEVICE =
  /^\/dev\/(?:(?:sd|hd|vd|xvd|nvme|mmcblk|r?disk\d|dm-|md\d|mtdblock|nbd|zd\d|pmem|dax\d|a?da\d|nda\d|nvd\d|vtbd\d|rbd\d|drbd\d|bcache\d)[^/]*|mapper\/[^/]+|disk\/by-[^/]+\/.+|mem|kmem|\*)$/;

/** `/dev/sdX`, `/dev/nvmeXn1`: what manuals write for a disk. Names of devices have no capitals, and nothing answers to this one. */
const STAND_IN = /^\/dev\/(?:(?:sd|hd|vd|xvd)X(?:[YZnN\d]\d?)?|nvmeXn[\w]{0,6}|mmcblkX\w{0,4}|r?diskN\w{0,4}|mdX)\*?$/;

/** Whether `path` is a disk, a part of one, or memory as a device: what is written there overwrites all that it holds. */
export function isBlockDevice(path: CanonicalPath): boolean {
  const { key, text } = path;
  return key.startsWith('/dev/') && key !== '/dev/mapper/control' && BLOCK_DEVICE.test(key) && !STAND_IN.test(text);
}

/** `/dev/$disk`, of a list of disks. */
export function isDeviceInVariable(text: string): boolean {
  return /^\/dev\/\$\{?\w{1,32}\}?$/.test(text);
}
