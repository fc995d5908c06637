/** Damage to a NEFF: to its header, its gzip, the archive inside, the JSON inside that, or anywhere. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { damage } from './bytes.js';
import { changeTokens, tokensIn } from './json.js';
import type { Random } from '../random.js';

const HEADER_BYTES = 1024;
const BLOCK = 512;
const SIZE = { at: 124, length: 12 };
const CHECKSUM = { at: 148, length: 8 };

/** The archive in a NEFF. */
const archiveOf = (neff: Buffer): Buffer => gunzipSync(neff.subarray(HEADER_BYTES));

/** Places of the headers of members. */
function memberPlaces(archive: Buffer): number[] {
  const places: number[] = [];
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0;) {
    places.push(at);
    const size = Number.parseInt(archive.toString('latin1', at + SIZE.at, at + SIZE.at + SIZE.length), 8) || 0;
    at += BLOCK * (1 + Math.ceil(size / BLOCK));
  }
  return places;
}

function writeChecksum(archive: Buffer, at: number): void {
  archive.fill(' ', at + CHECKSUM.at, at + CHECKSUM.at + CHECKSUM.length);
  const sum = archive.subarray(at, at + BLOCK).reduce((total, byte) => total + byte, 0);
  archive.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + CHECKSUM.at, 'latin1');
}

/** A member's header: a size of another kind, another type of member, or any damage; its checksum is right, mostly. */
function changeHeader(archive: Buffer, random: Random): Buffer {
  const places = memberPlaces(archive);
  const at = places[random.below(Math.min(places.length, 12))];
  if (at === undefined || at + BLOCK > archive.length) return archive;
  const what = random.below(4);
  if (what === 0) archive.write(random.number().toString(8).slice(-11).padStart(11, '0'), at + SIZE.at, 'latin1');
  else if (what === 1) {
    archive.fill(0, at + SIZE.at, at + SIZE.at + SIZE.length);
    archive[at + SIZE.at] = 0x80 | random.below(128);
    archive.writeBigUInt64BE(random.number(), at + SIZE.at + 4);
  } else if (what === 2) archive.write(random.of(['x', 'L', 'K', 'g', '5', '7', '\0', 'S']), at + 156, 'latin1');
  else damage(archive.subarray(at, at + BLOCK), random, { from: 0, to: BLOCK });
  if (random.chance(0.8)) writeChecksum(archive, at);
  return archive;
}

/** Tokens of a member's JSON changed. The member keeps its length: what is longer is cut, what is shorter filled up. */
function changeJson(archive: Buffer, random: Random): Buffer {
  const place = random.of(jsonPlaces(archive));
  if (place === null) return damage(archive, random);
  const size = Number.parseInt(archive.toString('latin1', place + SIZE.at, place + SIZE.at + SIZE.length), 8);
  const from = place + BLOCK;
  const { texts } = tokensIn(archive.toString('latin1', from, from + size));
  archive.write(changeTokens(texts, random).slice(0, size).padEnd(size), from, 'latin1');
  return archive;
}

/** Members with JSON: all but those of the last resort. */
function jsonPlaces(archive: Buffer): [number | null, ...(number | null)[]] {
  const places = memberPlaces(archive).filter((at) => {
    const name = archive
      .toString('latin1', at, at + 100)
      .split('\0', 1)
      .join();
    return /(?:info|kelf-\d+|def|tensor_map|neff)\.json$/.test(name);
  });
  const [first = null, ...others] = places;
  return [first, ...others];
}

/** A NEFF around an archive. */
function packed(neff: Buffer, archive: Buffer, random: Random): Buffer {
  const header = Buffer.from(neff.subarray(0, HEADER_BYTES));
  const contents = random.chance(0.2) ? archive : gzipSync(archive, { level: 1 });
  header.writeBigUInt64LE(BigInt(contents.length), 16);
  const file = random.chance(0.05) ? contents : Buffer.concat([header, contents]);
  return random.chance(0.1) ? damage(file, random) : file;
}

/** @param neff may be changed, and damaged already: then it is damaged anywhere */
export function damageNeff(neff: Buffer, random: Random): Buffer {
  let archive: Buffer;
  try {
    archive = archiveOf(neff);
  } catch {
    return damage(neff, random);
  }
  const choice = random.below(100);
  if (choice < 25) return packed(neff, changeHeader(archive, random), random);
  if (choice < 55) return packed(neff, changeJson(archive, random), random);
  if (choice < 65) return packed(neff, damage(archive, random), random);
  if (choice < 75) return damage(neff, random, { from: 0, to: 560 });
  if (choice < 90) return damage(neff, random, { from: HEADER_BYTES, to: neff.length });
  return damage(neff, random);
}
