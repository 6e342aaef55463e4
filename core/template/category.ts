/** The categories of the gallery (reference 2.8). */
export const TEMPLATE_CATEGORIES = [
  'Deployment',
  'Docker',
  'Database',
  'Git',
  'Monitoring',
  'Cron Jobs',
  'Files',
] as const;
export type TemplateCategory = (typeof TEMPLATE_CATEGORIES)[number];
