# To be sourced: makes fixed.db in this directory, the store that test/integration/store/export_store.c describes.
. "$KB_SRC/test/support/store_program.sh"
store_program export_store || exit 1
./export_store fixed.db || exit 1
