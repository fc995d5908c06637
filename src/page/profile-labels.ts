/** Labels of profiles, where a page holds several. */
import { elementAt } from '../containers/element.js';
import type { PageData, PageProfile } from '../prof/html/page-data.js';

/** 'rank 3', else its file, else its index. */
function rankName(profile: PageProfile, at: number): string {
  const { header } = profile.overview;
  if (header === null) return `profile ${at}`;
  return header.rank === null ? header.file : `rank ${header.rank}`;
}

/** Labels of all profiles; equal ones are extended by file or index. */
export function rankNames({ profiles }: PageData): string[] {
  const names = profiles.map(rankName);
  return profiles.map(({ overview: { header } }, at) => {
    const name = elementAt(names, at);
    if (header === null || names.filter((other) => other === name).length === 1) return name;
    const { file } = header;
    const files = profiles.filter((one) => one.overview.header?.file === file).length;
    return files === 1 && file !== name ? `${name}, ${file}` : `${name}, profile ${at}`;
  });
}
