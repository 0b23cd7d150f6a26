/** What to do about an error whose message does not say so. */
const HINTS: Readonly<Record<string, { text: string; command?: string }>> = {
  scope_required: {
    text: 'This key may not run models. Whoever operates the service makes one that may:',
    command: 'imagecrew admin key create --account default --scopes ai',
  },
  model_unavailable: {
    text: 'The model is not here yet. Whoever operates the service fetches it:',
    command: 'imagecrew models pull',
  },
  upgrade_required: {
    text: 'Whoever operates the service can change the plan of the account:',
    command: 'imagecrew admin account update --account default --plan pro',
  },
  invalid_key: { text: 'The key is unknown or was revoked. Enter another one.' },
  quota_exceeded: { text: 'The allowance is used up. The page Account shows when it starts anew.' },
  overloaded: { text: 'The service is busy. Run it again in a moment.' },
  unsupported_format: { text: 'This is no picture that the service can read. Choose another file.' },
  corrupt_image: { text: 'The file is damaged. Choose another one, or save it anew where it came from.' },
  no_subject: { text: 'Choose a picture whose subject stands out from what is behind it.' },
};

export const hintFor = (code: string): { text: string; command?: string } | undefined => HINTS[code];
