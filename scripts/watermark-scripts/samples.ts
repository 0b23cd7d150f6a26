/** The texts that are compared, with the fonts of the page in which Chromium draws them. */

export interface TextSample {
  name: string;
  text: string;
  /** Packages of Fontsource that Chromium tries after the font of Latin. */
  fonts: readonly string[];
  lang?: string;
  /** Chromium does not draw fonts with a table "SVG ", so emoji come from the font of the machine. */
  hasEmoji?: true;
}

const variable = (name: string): string => `@fontsource-variable/noto-sans-${name}`;

export const TEXT_SAMPLES: readonly TextSample[] = [
  { name: 'Latin', text: 'Ångström, Žiga & façade', fonts: [] },
  { name: 'Vietnamese', text: 'Tiếng Việt: ữ ệ ổ ẵ', fonts: [] },
  { name: 'Greek', text: 'Φωτογραφία ἀρχῇ', fonts: [] },
  { name: 'Cyrillic', text: 'Фотография й ў ї', fonts: [] },
  { name: 'Arabic', text: 'حقوق النشر مَحفوظة', fonts: [variable('arabic')] },
  { name: 'Hebrew', text: 'זְכוּיוֹת יוצרים', fonts: [variable('hebrew')] },
  { name: 'Chinese, simplified', text: '版权所有 简体中文', fonts: [variable('sc')], lang: 'zh-Hans' },
  { name: 'Chinese, traditional', text: '版權所有 繁體中文', fonts: [variable('tc')], lang: 'zh-Hant' },
  { name: 'Japanese', text: '著作権 すかし入り', fonts: [variable('jp')], lang: 'ja' },
  { name: 'Korean', text: '저작권 워터마크', fonts: [variable('kr')], lang: 'ko' },
  { name: 'Thai', text: 'ลิขสิทธิ์ ลายน้ำ ปี่', fonts: [variable('thai')] },
  { name: 'Devanagari', text: 'क्षत्रिय हिन्दी र्कि', fonts: [] },
  { name: 'Bengali', text: 'স্বত্বাধিকার বাংলা', fonts: [variable('bengali')] },
  { name: 'Tamil', text: 'பதிப்புரிமை ஸ்ரீ கொ', fonts: [variable('tamil')] },
  { name: 'Telugu', text: 'హక్కులు క్ష్మ', fonts: [variable('telugu')] },
  { name: 'Malayalam', text: 'പകർപ്പവകാശം ക്ത്ര', fonts: [variable('malayalam')] },
  { name: 'Sinhala', text: 'ශ්‍රී ලංකා ක්‍ෂ', fonts: [variable('sinhala')] },
  { name: 'Khmer', text: 'រក្សាសិទ្ធិ ខ្មែរ', fonts: [variable('khmer')] },
  { name: 'Myanmar', text: 'မူပိုင်ခွင့် က္က', fonts: [variable('myanmar')] },
  { name: 'Armenian', text: 'Հեղինակային', fonts: [variable('armenian')] },
  { name: 'Georgian', text: 'საავტორო', fonts: [variable('georgian')] },
  { name: 'Emoji', text: '😀👍🏽👨‍👩‍👧🇸🇮👩🏾‍🚀', fonts: [], hasEmoji: true },
  { name: 'Hebrew in Latin', text: 'Photo © שלום 2026 Co.', fonts: [variable('hebrew')] },
  { name: 'Latin in Arabic', text: 'صورة (Imagecrew 12) جديدة', fonts: [variable('arabic')] },
  { name: 'Several', text: 'Žiga 日本 हिन्दी 😀', fonts: [variable('jp')], lang: 'ja', hasEmoji: true },
];
