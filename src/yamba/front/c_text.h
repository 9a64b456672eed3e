/* Where text of another language ends (sections 7.1 and 8 of the language): C, and the text of an asm block. */
#ifndef KB_YAMBA_FRONT_C_TEXT_H
#define KB_YAMBA_FRONT_C_TEXT_H

#include "yamba/front/ast.h"
#include "yamba/front/lexer.h"

/* `yamba [abstract] NAME {` or `... extends`, first on its line: no C text contains this, so whatever is open there was
   never closed. */
bool kb_at_class(const struct kb_lexer *);

/* At an opening brace, parenthesis or bracket: over all up to its partner; *inside is what stands between. The
   token behind is next. If it has no end: Y102 at the opener, false, and the token is where reading can go on. */
bool kb_c_group(struct kb_lexer *, struct kb_span *inside);

/* Over C to the first of `marks` outside of groups, which stays the token. False, with Y102 or Y100 given,
   if none comes. */
bool kb_c_until(struct kb_lexer *, const char *marks, struct kb_span *text);

/* The next part of C text that `mark` parts outside of groups, without the mark, of a lexer that begins at this text and reports nothing.
   True if the mark ended it: another part follows. */
bool kb_c_part(struct kb_lexer *, char mark, struct kb_span *part);

/* Between the braces of an asm block, at '{'. */
bool kb_asm_group(struct kb_lexer *, struct kb_arena *, struct kb_item *);

#endif
