/** How a profile of several is called. */
import type { PageData, PageProfile } from '../prof/html/page-data.js';

/** 'rank 3', else its file, else its number. */
export function rankName(profile: PageProfile | undefined, at: number): string {
  const header = profile?.overview.header ?? null;
  if (header === null) return `profile ${at}`;
  return header.rank === null ? header.file : `rank ${header.rank}`;
}

/** Names of all, told apart by file and number where they would be the same. */
export function rankNames({ profiles }: PageData): string[] {
  const names = profiles.map(rankName);
  return names.map((name, at) => {
    if (names.filter((other) => other === name).length === 1) return name;
    const file = profiles[at]?.overview.header?.file ?? '';
    const files = profiles.filter((one) => one.overview.header?.file === file).length;
    return files === 1 && file !== name ? `${name}, ${file}` : `${name}, profile ${at}`;
  });
}
