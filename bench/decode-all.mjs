/**
 * The minimum cost of reading a large profile: a library decodes everything, and the result is discarded.
 *
 *   node bench/decode-all.mjs rocprofv3 FILE.json     JSON.parse of pieces; records must stand on lines of their own
 *   node bench/decode-all.mjs parquet FOLDER          hyparquet: an object for each row, one file after another
 *   node bench/decode-all.mjs xplane FILE.xplane.pb   protobufjs: an object for each message
 */
import { createReadStream, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const PIECE = 8 << 20;

async function rocprofv3(path) {
  let [lines, length, records] = [[], 0, 0];
  const parse = () => {
    records += JSON.parse(`[${lines.join(',')}]`).length;
    [lines, length] = [[], 0];
  };
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (!line.startsWith('{"size"')) continue;
    lines.push(line.endsWith(',') ? line.slice(0, -1) : line);
    length += line.length;
    if (length > PIECE) parse();
  }
  parse();
  return records;
}

async function parquet(folder) {
  const { asyncBufferFromFile, parquetReadObjects } = await import('hyparquet');
  let rows = 0;
  for (const name of readdirSync(folder))
    rows += (await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, name)) })).length;
  return rows;
}

/** The messages of xplane.proto with events. */
const XPLANE = `syntax = "proto3";
  message XSpace { repeated XPlane planes = 1; repeated string errors = 2; repeated string hostnames = 4; }
  message XPlane { int64 id = 1; string name = 2; repeated XLine lines = 3; map<int64, XEventMetadata> event_metadata = 4;
    map<int64, XStatMetadata> stat_metadata = 5; repeated XStat stats = 6; }
  message XLine { int64 id = 1; string name = 2; int64 timestamp_ns = 3; repeated XEvent events = 4; }
  message XEvent { int64 metadata_id = 1; int64 offset_ps = 2; int64 duration_ps = 3; repeated XStat stats = 4;
    int64 num_occurrences = 5; }
  message XStat { int64 metadata_id = 1; double double_value = 2; uint64 uint64_value = 3; int64 int64_value = 4;
    string str_value = 5; bytes bytes_value = 6; uint64 ref_value = 7; }
  message XEventMetadata { int64 id = 1; string name = 2; bytes metadata = 3; string display_name = 4; repeated XStat stats = 5; }
  message XStatMetadata { int64 id = 1; string name = 2; string description = 3; }`;

/** Decodes lines and tables of a plane one after another, so that a large profile fits in memory. */
async function xplane(path) {
  const { default: protobuf } = await import('protobufjs');
  const { root } = protobuf.parse(XPLANE);
  const [plane, line] = [root.lookupType('XPlane'), root.lookupType('XLine')];
  const file = readFileSync(path);
  let events = 0;
  for (const [field, at, end] of messages(protobuf, file, 0, file.length)) {
    if (field !== 1) continue;
    for (const [inner, from, to, start] of messages(protobuf, file, at, end))
      if (inner === 3) events += line.decode(file.subarray(from, to)).events.length;
      else plane.decode(file.subarray(start, to));
  }
  return events;
}

/** Fields of a message: the number, the start and the end of its value, and the start of its tag. */
function* messages(protobuf, file, from, to) {
  const reader = protobuf.Reader.create(file.subarray(from, to));
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.uint32();
    if ((tag & 7) === 2) {
      const length = reader.uint32();
      yield [tag >>> 3, from + reader.pos, from + reader.pos + length, from + start];
      reader.skip(length);
    } else {
      reader.skipType(tag & 7);
      yield [tag >>> 3, from + start, from + reader.pos, from + start];
    }
  }
}

const [kind, path] = process.argv.slice(2);
const decode = { rocprofv3, parquet, xplane }[kind];
if (decode === undefined || path === undefined) throw new Error('usage: node bench/decode-all.mjs KIND PATH');
process.stdout.write(`${await decode(path)} records\n`);
