# TvmLibrary.cmake - one library a room.

# The raw archives of the MLIR C API: linking the targets of that name would
# add the static MLIR libraries, and with them a second copy of each registry.
set(mlir_c "")
foreach(part IN ITEMS IR Interfaces RegisterEverything IRDL Transforms Func
                      Arith Linalg SCF Tensor MemRef Vector LLVM Math
                      Conversion TransformDialect TransformDialectTransforms
                      Target Affine PDL)
  if(TARGET MLIRCAPI${part})
    list(APPEND mlir_c $<TARGET_FILE:MLIRCAPI${part}>)
  endif()
endforeach()

add_library(mlir_c INTERFACE)
target_include_directories(mlir_c SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS}
                                                   ${LLVM_INCLUDE_DIRS})
target_link_libraries(mlir_c INTERFACE -Wl,--start-group ${mlir_c}
                                       -Wl,--end-group MLIR LLVM)
target_link_options(mlir_c INTERFACE -Wl,--gc-sections)

set(tvm_warnings -Wall -Wextra -Werror)

# tvm_add_library(name LINK lib...): all C files of the current folder.
function(tvm_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK;SOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
  add_library(${name} STATIC ${sources} ${ARG_SOURCES})
  target_include_directories(
    ${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/dialects
                   ${PROJECT_SOURCE_DIR}/conversion
                   ${PROJECT_SOURCE_DIR}/targets ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(${name} PRIVATE ${tvm_warnings})
  target_compile_definitions(${name} PRIVATE
                             TVM_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${name} PUBLIC mlir_c ${ARG_LINK})
  set_target_properties(${name} PROPERTIES C_STANDARD 11
                        POSITION_INDEPENDENT_CODE ON)
endfunction()

# tvm_embed(target symbol file): `const char symbol[]`, `size_t symbol_size`.
# The file may be one that the build makes.
function(tvm_embed target symbol file)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c)
  set(script ${PROJECT_SOURCE_DIR}/cmake/EmbedFile.cmake)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DSYMBOL=${symbol} -DFILE=${file}
            -DOUTPUT=${source} -P ${script}
    DEPENDS ${file} ${script})
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${file}
                              COMPILE_OPTIONS -Wno-c23-extensions)
  target_sources(${target} PRIVATE ${source})
endfunction()

find_program(TVM_MLIR_PDLL mlir-pdll PATHS ${LLVM_TOOLS_BINARY_DIR}
             NO_DEFAULT_PATH REQUIRED)

# tvm_embed_patterns(target name): <name>.pdll, compiled to the PDL dialect and
# embedded as tvm_<name>_pdl. The name alone is passed on, for its locations
# to be the same everywhere.
function(tvm_embed_patterns target name)
  set(pdl ${CMAKE_CURRENT_BINARY_DIR}/${name}.pdl.mlir)
  add_custom_command(
    OUTPUT ${pdl}
    COMMAND ${TVM_MLIR_PDLL} -x=mlir ${name}.pdll -o ${pdl}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}.pdll)
  tvm_embed(${target} tvm_${name}_pdl ${pdl})
endfunction()

# tvm_add_dialect(name LINK lib...): library tvm_<name> of the C files here,
# with <name>.irdl.mlir embedded as tvm_<name>_irdl and its accessors
# generated as <name>_accessors.h.
function(tvm_add_dialect name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  set(irdl ${CMAKE_CURRENT_SOURCE_DIR}/${name}.irdl.mlir)
  set(header ${CMAKE_CURRENT_BINARY_DIR}/${name}_accessors.h)
  add_custom_command(
    OUTPUT ${header}
    COMMAND generate_accessors ${irdl} ${header}
    DEPENDS ${irdl} generate_accessors)
  add_custom_target(${name}_accessors DEPENDS ${header})
  tvm_add_library(tvm_${name} LINK ${ARG_LINK} SOURCES ${header})
  add_dependencies(tvm_${name} ${name}_accessors)
  target_include_directories(tvm_${name} PUBLIC ${CMAKE_CURRENT_BINARY_DIR})
  tvm_embed(tvm_${name} tvm_${name}_irdl ${irdl})
endfunction()
