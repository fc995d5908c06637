/** Named points in time that a user sets, and the file that stores them. */

export interface TimelineMarker {
  /** Time in ns from the profile's start, so that it is valid in any timeline of the profile. */
  readonly at: number;
  readonly name: string;
}

/** Maximum number of markers, because the address contains all of them. */
export const MOST_MARKERS = 500;
export const LONGEST_NAME = 200;
/** Maximum number of characters of a file, more than a file with the maximum number of markers has. */
export const LARGEST_FILE = 1_000_000;

const TYPE = 'dprof-markers';

export const sortedMarkers = (markers: readonly TimelineMarker[]): TimelineMarker[] =>
  [...markers].sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));

/** A name as one line, shortened to the maximum length. */
export const markerName = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_NAME);

export const writeMarkers = (markers: readonly TimelineMarker[]): string =>
  `${JSON.stringify({ type: TYPE, v: 1, markers: sortedMarkers(markers) }, null, 2)}\n`;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error('the file is not JSON');
  }
}

/**
 * @param text contents of a file, which may come from an untrusted source
 * @returns its markers, in order
 * @throws Error with the reason in one line, without text from the file
 */
export function readMarkers(text: string): TimelineMarker[] {
  if (text.length > LARGEST_FILE) throw new Error(`the file is larger than ${LARGEST_FILE / 1e6} MB`);
  const file = parsed(text);
  if (!isObject(file) || file['type'] !== TYPE) throw new Error('the file contains no dprof markers');
  if (file['v'] !== 1) throw new Error('the file has an unsupported version');
  const list = file['markers'];
  if (!Array.isArray(list)) throw new Error('the file has no list of markers');
  if (list.length > MOST_MARKERS) throw new Error(`the file has more than ${MOST_MARKERS} markers`);
  return sortedMarkers(list.map(markerOf));
}

function markerOf(value: unknown, place: number): TimelineMarker {
  if (!isObject(value)) throw new Error(`marker ${place + 1} is not an object`);
  const { at, name } = value;
  if (typeof at !== 'number' || !Number.isFinite(at)) throw new Error(`marker ${place + 1} has no time in ns`);
  if (typeof name !== 'string') throw new Error(`marker ${place + 1} has no name`);
  if (name.length > LONGEST_NAME) throw new Error(`marker ${place + 1} has a name above ${LONGEST_NAME} characters`);
  return { at, name: markerName(name) };
}

/** Both lists combined, without duplicates. */
export function mergedMarkers(markers: readonly TimelineMarker[], more: readonly TimelineMarker[]): TimelineMarker[] {
  const known = new Set(markers.map(({ at, name }) => `${at} ${name}`));
  const added = more.filter(({ at, name }) => !known.has(`${at} ${name}`));
  return sortedMarkers([...markers, ...added]).slice(0, MOST_MARKERS);
}
